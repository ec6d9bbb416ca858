namespace Faster.Crash.Engine;

/// <summary>Where a read leaves what it found, which may be later.</summary>
internal sealed class Found
{
    /// <summary>The value, or null.</summary>
    public byte[]? Value { get; set; }

    /// <summary>Why it could not be read, or null.</summary>
    public Exception? Error { get; set; }
}
