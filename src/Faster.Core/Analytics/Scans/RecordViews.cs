using Faster.Contracts;
using Faster.Log.Large;
using Faster.Log.Records;

namespace Faster.Analytics.Scans;

/// <summary>
/// The only place where analytics decode a record of the log into key and value. Thread-safe: no state.
/// </summary>
internal static unsafe class RecordViews
{
    /// <summary>A view of a record. The value of a tombstone is meaningless, and is empty here.</summary>
    /// <param name="layout">The layout of records.</param>
    /// <param name="record">The record.</param>
    /// <param name="header">Its header.</param>
    /// <param name="address">Its address.</param>
    /// <param name="now">The time at which its expiry is checked, in Unix milliseconds.</param>
    /// <param name="gathered">The value, if it lies in fragments and was gathered.</param>
    public static RecordView Of(
        RecordLayout layout, byte* record, ulong header, long address, long now,
        ReadOnlySpan<byte> gathered = default)
    {
        long expiry = layout.Expiry(record);
        bool isTombstone = (header & RecordHeader.Tombstone) != 0 || expiry <= now;
        return new RecordView
        {
            Key = layout.Key(record),
            Value = isTombstone ? default : LargeHead.IsIn(header) ? gathered : layout.Value(record),
            Address = address,
            IsTombstone = isTombstone,
            IsDelta = (header & RecordHeader.Delta) != 0,
            Expiry = expiry,
        };
    }

    /// <summary>Whether a record has a key: all do except chain-join records.</summary>
    public static bool HasKey(ulong header) => !ChainJoinRecord.Is(header);
}
