namespace Faster;

/// <summary>Reports the progress of an export or import.</summary>
/// <param name="Records">The number of records transferred so far.</param>
/// <param name="Bytes">The number of bytes of the stream so far.</param>
public readonly record struct TransferProgress(long Records, long Bytes);
