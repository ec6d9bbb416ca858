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
}
