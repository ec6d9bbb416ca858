namespace Faster;

/// <summary>
/// A record's bytes are what was written, but not of the type that reads them: the type has changed. The inner
/// exception is the serializer's.
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
