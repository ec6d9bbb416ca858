using System.Runtime.ExceptionServices;

namespace Faster.Crash.Engine;

/// <summary>Receives what a read finds, possibly after the call has returned.</summary>
internal sealed class Found
{
    /// <summary>The value, or null.</summary>
    public byte[]? Value { get; set; }

    /// <summary>Why it could not be read, or null.</summary>
    public Exception? Error { get; set; }

    /// <summary>The value, or null; a key that could not be read is not one that is absent.</summary>
    public byte[]? ValueOrThrow()
    {
        if (Error is { } error) ExceptionDispatchInfo.Throw(error);
        return Value;
    }
}
