using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>Converts a record's bytes to the object that a scan returns.</summary>
/// <typeparam name="T">The type of the object, which must own copies of the bytes that it needs.</typeparam>
/// <param name="record">The record; valid only during the call.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate T RecordDecoder<out T>(RecordView record);
