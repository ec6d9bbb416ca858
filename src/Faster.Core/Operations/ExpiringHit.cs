using System.Runtime.CompilerServices;
using Faster.Chains;
using Faster.Contracts;
using Faster.Log.Records;

namespace Faster.Operations;

/// <summary>
/// Finds and latches the record that most updates need in a store whose records may expire: the newest of its chain, in
/// the mutable region, alive (docs/internals/expiring-updates.md).
/// </summary>
/// <remarks>
/// It decides only the favorable case: a record that is dead, dying, or latched is left to the algorithm, which
/// searches again. Thread-safe; under the session's quiet epoch.
/// </remarks>
internal static unsafe class ExpiringHit
{
    private const ulong Unfit = RecordHeader.NotUpdated | RecordHeader.Delta | RecordHeader.Latch;

    /// <summary>Checks the record that an index entry leads to, and takes its latch.</summary>
    /// <param name="attempt">The attempt, which then holds the latch.</param>
    /// <param name="key">The key.</param>
    /// <param name="record">The record that <see cref="QuietView.TryFind"/> has found for an update.</param>
    /// <param name="address">Its address.</param>
    /// <param name="at">The record: a whole value that is alive by the store's time.</param>
    /// <returns>
    /// False, with nothing held, if the record is not such a one, must be copied, or is latched by another thread.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryHold<TKey>(
        Attempt attempt, scoped TKey key, byte* record, long address, out ChainPosition at)
        where TKey : struct, IKey, allows ref struct
    {
        at = default;
        attempt.Clock.BeginSearch();
        ulong header = RecordHeader.Read(record);
        if ((header & Unfit) != 0 || !key.Matches(record + RecordHeader.Size)) return false;
        if (attempt.Version.CopiesOld && attempt.Version.MustCopy(address, header)) return false;
        if (!RecordLatch.TryTakeUnchanged(record, header)) return false;
        attempt.Own(record, header);
        at.Header = header;
        at.Record = record;
        at.Address = address;
        at.Value = RecordExpiry.Value(record, at.Header, key.SlotSize, out at.Expiry);
        if (attempt.Clock.Judge(at.Expiry) == Outcome.Ok) return true;
        attempt.Unlatch(record, at.Header);
        return false;
    }
}
