namespace Faster;

/// <summary>
/// A session was used after dispose, by two callers at once, from inside a user function, or under a name already in
/// use.
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
