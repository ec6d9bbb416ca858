namespace Faster;

/// <summary>
/// Thrown when a limit is reached: a record exceeds the largest size, or an address space or a memory budget is used
/// up.
/// </summary>
public sealed class LimitExceededException : FasterException
{
    /// <inheritdoc/>
    public LimitExceededException() { }

    /// <inheritdoc/>
    public LimitExceededException(string message) : base(message) { }

    /// <inheritdoc/>
    public LimitExceededException(string message, Exception? innerException) : base(message, innerException) { }
}
