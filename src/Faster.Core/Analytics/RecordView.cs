using Faster.Log;

namespace Faster;

/// <summary>A record of the log as its decoder sees it; valid during the call.</summary>
/// <remarks>
/// The one place where analytics turn a record into key and value. Of a tombstone the value means nothing, and is
/// empty here.
/// </remarks>
public readonly unsafe ref struct RecordView
{
    internal RecordView(
        RecordLayout layout, byte* record, ulong header, long address, long now,
        ReadOnlySpan<byte> gathered = default)
    {
        Expiry = layout.Expiry(record);
        IsTombstone = (header & RecordHeader.Tombstone) != 0 || Expiry <= now;
        Key = layout.Key(record);
        bool isLarge = (header & RecordHeader.Large) != 0;
        Value = IsTombstone ? default : isLarge ? gathered : layout.Value(record);
        IsPartial = (header & RecordHeader.Delta) != 0;
        Address = address;
    }

    /// <summary>A whole value that was merged from the partial ones of several records.</summary>
    /// <param name="key">The key's bytes.</param>
    /// <param name="value">The value's bytes.</param>
    /// <param name="address">The newest of the records.</param>
    internal RecordView(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long address)
    {
        Key = key;
        Value = value;
        Address = address;
        Expiry = RecordExpiry.Never;
    }

    /// <summary>The key's bytes.</summary>
    public ReadOnlySpan<byte> Key { get; }

    /// <summary>The value's bytes.</summary>
    public ReadOnlySpan<byte> Value { get; }

    /// <summary>Where the record lies in the log.</summary>
    public long Address { get; }

    /// <summary>
    /// Whether the record says that its key was deleted, or had expired when it was read (docs/EXPIRY.md).
    /// </summary>
    public bool IsTombstone { get; }

    /// <summary>
    /// Whether the value is partial (paper 000 §6.3): merged with the key's older records it makes the whole one.
    /// </summary>
    public bool IsPartial { get; }

    /// <summary>When the record expires; null when it does not.</summary>
    public DateTimeOffset? ExpiresAt => RecordExpiry.Moment(Expiry);

    /// <summary>The same in Unix milliseconds; <see cref="RecordExpiry.Never"/> when it does not.</summary>
    internal long Expiry { get; }

    /// <summary>Whether a record has a key: all but those that only join chains.</summary>
    internal static bool HasKey(ulong header) => !MergeRecord.Is(header);
}
