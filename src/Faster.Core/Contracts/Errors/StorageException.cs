namespace Faster;

/// <summary>
/// A read, write or sync of the storage failed: the disk is full, gone, or refuses. The store says whether it can go
/// on.
/// </summary>
public sealed class StorageException : FasterException
{
    /// <inheritdoc/>
    public StorageException() { }

    /// <inheritdoc/>
    public StorageException(string message) : base(message) { }

    /// <inheritdoc/>
    public StorageException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>Whether the same call may succeed later, once the cause is mended (space freed, disk back).</summary>
    public bool MayRetry { get; init; }
}
