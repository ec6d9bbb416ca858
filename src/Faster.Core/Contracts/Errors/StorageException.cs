namespace Faster;

/// <summary>
/// Thrown when a read, write or sync of the storage fails: the disk is full, missing, or rejects the request. The
/// message says whether the store can continue.
/// </summary>
public sealed class StorageException : FasterException
{
    /// <inheritdoc/>
    public StorageException() { }

    /// <inheritdoc/>
    public StorageException(string message) : base(message) { }

    /// <inheritdoc/>
    public StorageException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>Whether the same call may succeed later, once the cause is fixed (space freed, disk back).</summary>
    public bool MayRetry { get; init; }
}
