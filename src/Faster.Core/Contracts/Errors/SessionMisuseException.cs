namespace Faster;

/// <summary>
/// Thrown when a session is used after it was disposed, by two callers at the same time, from inside a user function,
/// or under a name that is already in use.
/// </summary>
public sealed class SessionMisuseException : FasterException
{
    /// <inheritdoc/>
    public SessionMisuseException() { }

    /// <inheritdoc/>
    public SessionMisuseException(string message) : base(message) { }

    /// <inheritdoc/>
    public SessionMisuseException(string message, Exception? innerException) : base(message, innerException) { }
}
