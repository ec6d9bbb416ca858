namespace Faster;

/// <summary>
/// The family of errors that this library throws. Each message names what failed, where, and what to do.
/// </summary>
public class FasterException : Exception
{
    /// <summary>An error without words; prefer the other constructors.</summary>
    public FasterException() { }

    /// <summary>An error with a message.</summary>
    public FasterException(string message) : base(message) { }

    /// <summary>An error with a message and its cause.</summary>
    public FasterException(string message, Exception? innerException) : base(message, innerException) { }
}
