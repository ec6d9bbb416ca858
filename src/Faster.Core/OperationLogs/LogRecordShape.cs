namespace Faster.OperationLogs;

/// <summary>What a record is made from, but its bytes of key and value. Mutable until it is written.</summary>
internal struct LogRecordShape
{
    /// <summary>What the record says.</summary>
    public LogRecordKind Kind { get; init; }

    /// <summary>The store's version in which it was done.</summary>
    public long Version { get; init; }

    /// <summary>The number that orders the changes of a key.</summary>
    public long Counter { get; set; }

    /// <summary>The operation and its session, where recovery must know them.</summary>
    public LogRecordSession? Session { get; init; }

    /// <summary>The session's name, in its first record of a version in a log.</summary>
    public string? Name { get; set; }

    /// <summary>When the value expires, in Unix milliseconds; null: never.</summary>
    public long? Expiry { get; init; }

    /// <summary>Whether the operation is part of a unit.</summary>
    public bool IsInUnit { get; init; }

    /// <summary>How long the key's slot is.</summary>
    public int KeyBytes { get; init; }

    /// <summary>How long the value is, or what is merged into it.</summary>
    public int ValueBytes { get; init; }

    /// <summary>The size of the record in bytes.</summary>
    public readonly long Size => LogRecord.HeaderBytes + (Session is null ? 0 : LogRecord.SessionBytes)
        + (Expiry is null ? 0 : sizeof(long)) + LogRecord.Padded(NameBytes) + LogRecord.Padded(KeyBytes)
        + LogRecord.Padded(ValueBytes);

    /// <summary>The name's length in bytes; 0 without one.</summary>
    public readonly int NameBytes => Name is null ? 0 : sizeof(char) * Name.Length;
}
