namespace Faster;

/// <summary>
/// The base class of the errors that this library throws. Each message names what failed, where, and what to do.
/// </summary>
public class FasterException : Exception
{
    /// <summary>Creates an error without a message of its own; prefer the other constructors.</summary>
    public FasterException() { }

    /// <summary>Creates an error with a message.</summary>
    public FasterException(string message) : base(message) { }

    /// <summary>Creates an error with a message and its cause.</summary>
    public FasterException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>Creates an error that has no class of its own.</summary>
    /// <param name="reason">What it is.</param>
    /// <param name="message">What failed, where, and what to do.</param>
    /// <param name="innerException">Its cause, or null.</param>
    public FasterException(ErrorReason reason, string message, Exception? innerException = null)
        : base(message, innerException) => Reason = reason;

    /// <summary>What the error is if it has no class of its own; otherwise <see cref="ErrorReason.None"/>.</summary>
    public ErrorReason Reason { get; }
}
