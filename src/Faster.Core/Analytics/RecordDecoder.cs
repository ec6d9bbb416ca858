namespace Faster;

/// <summary>Makes what a scan gives of a record's bytes.</summary>
/// <typeparam name="T">What is made; it must own what it needs of the bytes.</typeparam>
/// <param name="record">The record; valid during the call.</param>
public delegate T RecordDecoder<out T>(RecordView record);
