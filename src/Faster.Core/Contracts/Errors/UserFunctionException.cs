namespace Faster;

/// <summary>
/// Thrown when a user function fails while a pending operation is continued, or blocks others for too long. The inner
/// exception is the one that the user function threw.
/// </summary>
public sealed class UserFunctionException : FasterException
{
    /// <inheritdoc/>
    public UserFunctionException() { }

    /// <inheritdoc/>
    public UserFunctionException(string message) : base(message) { }

    /// <inheritdoc/>
    public UserFunctionException(string message, Exception? innerException) : base(message, innerException) { }
}
