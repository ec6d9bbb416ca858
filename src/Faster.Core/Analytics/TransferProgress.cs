namespace Faster;

/// <summary>How far an export or import has come.</summary>
/// <param name="Records">The records so far.</param>
/// <param name="Bytes">The bytes of the stream so far.</param>
public readonly record struct TransferProgress(long Records, long Bytes);
