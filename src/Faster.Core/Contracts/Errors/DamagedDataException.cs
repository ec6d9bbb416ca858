namespace Faster;

/// <summary>Bytes on disk are not what was written: a checksum, magic number, version or structure is wrong.</summary>
public sealed class DamagedDataException : FasterException
{
    /// <inheritdoc/>
    public DamagedDataException() { }

    /// <inheritdoc/>
    public DamagedDataException(string message) : base(message) { }

    /// <inheritdoc/>
    public DamagedDataException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>The damaged file, where known.</summary>
    public string? Path { get; init; }

    /// <summary>The offset in bytes in the file, or -1.</summary>
    public long Offset { get; init; } = -1;
}
