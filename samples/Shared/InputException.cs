namespace Samples;

/// <summary>An input or argument can't be used; the message says which and what to do.</summary>
internal sealed class InputException(string message, Exception? cause = null) : Exception(message, cause);
