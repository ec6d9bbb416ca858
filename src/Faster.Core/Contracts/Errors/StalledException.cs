namespace Faster;

/// <summary>
/// Thrown when an operation has waited too long for something inside the store that made no progress. The operation was
/// not performed; issue it again. The message says what it waited for.
/// </summary>
public sealed class StalledException : FasterException
{
    /// <inheritdoc/>
    public StalledException() { }

    /// <inheritdoc/>
    public StalledException(string message) : base(message) { }

    /// <inheritdoc/>
    public StalledException(string message, Exception? innerException) : base(message, innerException) { }
}
