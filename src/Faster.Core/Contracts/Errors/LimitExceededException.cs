namespace Faster;

/// <summary>
/// A limit was reached: a record above the largest size, an address space or a memory budget used up.
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
