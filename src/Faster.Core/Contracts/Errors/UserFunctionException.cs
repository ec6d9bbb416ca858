namespace Faster;

/// <summary>
/// A user function threw on a continuation, or blocked others for too long. The inner exception is the user's.
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
