namespace Faster;

/// <summary>
/// Thrown when a record is intact but its bytes cannot be read as the expected type, because the type has changed. The
/// inner exception is the serializer's.
/// </summary>
public sealed class RecordFormatException : FasterException
{
    /// <inheritdoc/>
    public RecordFormatException() { }

    /// <inheritdoc/>
    public RecordFormatException(string message) : base(message) { }

    /// <inheritdoc/>
    public RecordFormatException(string message, Exception? innerException) : base(message, innerException) { }
}
