using System.Runtime.CompilerServices;

namespace Faster.Log.Records;

/// <summary>
/// The time from which a record counts as deleted: eight bytes between its key slot and its value slot, if its header
/// says so (<see cref="RecordHeader.Expiring"/>; docs/formats/record.md, docs/internals/expiry.md).
/// </summary>
/// <remarks>
/// Unix time in milliseconds. Whether a record has the eight bytes is decided when it is made, because its size depends
/// on it. Only the owner of the record's latch writes them, and they are constant once the record is immutable. Pure
/// functions: the caller holds the latch or knows that the record does not change.
/// </remarks>
internal static unsafe class RecordExpiry
{
    /// <summary>The size in bytes.</summary>
    public const int Size = 8;

    /// <summary>The expiry of a record that never expires, whether or not it has space for another expiry.</summary>
    public const long Never = long.MaxValue;

    private const int BitToSize = 58; // from the flag's bit to the value 8
    private static readonly long _mostTime = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();

    /// <summary>The number of bytes between key slot and value slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SizeIn(ulong header) => (int)(header >> BitToSize) & Size;

    /// <summary>
    /// Whether a record that is otherwise immutable may still become a tombstone: a record made from an expiring one is
    /// linked under its latch, and becomes final when the older one is known to have been alive
    /// (docs/internals/expiring-updates.md).
    /// </summary>
    public static bool IsUnconfirmed(ulong header) =>
        (header & (RecordHeader.Expiring | RecordHeader.Latch)) == (RecordHeader.Expiring | RecordHeader.Latch);

    /// <summary>The header flag of a record that is made with an expiry.</summary>
    public static ulong FlagFor(long expiry) => expiry == Never ? 0 : RecordHeader.Expiring;

    /// <summary>An expiry as users see it; null when it is never, or too far away to represent.</summary>
    public static DateTimeOffset? Moment(long expiry) =>
        expiry <= _mostTime ? DateTimeOffset.FromUnixTimeMilliseconds(expiry) : null;

    /// <summary>The start of a record's value slot, and its expiry.</summary>
    /// <param name="record">The record, in the log or in the read cache.</param>
    /// <param name="header">Its header.</param>
    /// <param name="keySlotSize">The size of its key slot.</param>
    /// <param name="expiry">The expiry; <see cref="Never"/> when it has none.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Value(byte* record, ulong header, int keySlotSize, out long expiry)
    {
        byte* slot = record + RecordHeader.Size + keySlotSize;
        expiry = Never;
        if ((header & RecordHeader.Expiring) == 0) return slot;
        expiry = *(long*)slot;
        return slot + Size;
    }

    /// <summary>Whether a record has expired: the one test for all code that copies or drops records.</summary>
    /// <param name="layout">The layout of records.</param>
    /// <param name="record">A record that does not change.</param>
    /// <param name="header">Its header.</param>
    /// <param name="now">The time, by the store's clock.</param>
    public static bool IsDead(in RecordLayout layout, byte* record, ulong header, long now) =>
        (header & RecordHeader.Expiring) != 0 && layout.Expiry(record) <= now;
}
