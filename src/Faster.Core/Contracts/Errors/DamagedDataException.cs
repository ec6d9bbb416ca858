namespace Faster;

/// <summary>
/// Thrown when the bytes on disk differ from what was written: a checksum, magic number, version or structure is wrong.
/// </summary>
public sealed class DamagedDataException : FasterException
{
    /// <inheritdoc/>
    public DamagedDataException() { }

    /// <inheritdoc/>
    public DamagedDataException(string message) : base(message) { }

    /// <inheritdoc/>
    public DamagedDataException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>The path of the damaged file; null if unknown.</summary>
    public string? Path { get; init; }

    /// <summary>The offset of the damage in the file, in bytes; -1 if unknown.</summary>
    public long Offset { get; init; } = -1;
}
