using Faster.Contracts;
using Faster.Log;
using Faster.Log.Records;
using Faster.Operations.Merging;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Operations;

/// <summary>
/// Continues the search for a key in the tier below, after an attempt has found no record of it in its own tier (paper
/// 003 §5.3; docs/internals/tiers.md).
/// </summary>
/// <remarks>
/// <para>Records of the tier below are never updated in place, so a value that was found stays what it is. A record
/// leaves the tier above only when Begin rises there, after its copy below was linked and the epoch has passed. So as
/// long as Begin is what it was when the key was found absent above, and the key still is, the tier below says
/// what its value is: this is the counter of truncations of §5.4. A read needs no such check: what it finds below was
/// the key's value at some time since its search above. That it finds nothing says that the key was absent only if the
/// search below began in an attempt that has found it absent above, by all of its chain: records below are dropped for
/// newer ones above.</para>
/// <para>No state; runs on the calling session's thread, in its epoch.</para>
/// </remarks>
internal static unsafe class SearchBelow
{
    /// <summary>Finds the key's record in the tier below.</summary>
    /// <param name="attempt">The attempt, which has found no record in its tier, and has read its entry there.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="disk">What has been read for the operation, or null.</param>
    /// <param name="mayLag">Whether a value that has been replaced since it was read will do.</param>
    /// <param name="found">
    /// The record, for <see cref="Outcome.Ok"/>; the address of the tombstone, for <see cref="Outcome.NotFound"/>.
    /// </param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.NotFound"/>: the key has no record, or was deleted; or what the
    /// attempt lacks.
    /// </returns>
    public static Outcome Find<TKey, TOperation>(
        Attempt attempt, scoped TKey key, ulong hash, ChainReadResult? disk, bool mayLag,
        out RecordBelow found)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IValueLayout
    {
        found = new RecordBelow { Expiry = RecordExpiry.Never };
        Tier below = attempt.Below!;
        Probe.Point(ProbePoint.RegionMarker);
        ChainReadResult? read = disk?.Below is { ChainStart: not 0 } walked ? walked : null;
        bool isCurrent = read is not null && read.BeginAbove == attempt.Log.BeginAddress;
        if (read is not null && (mayLag || isCurrent)) return Take(read, isCurrent, out found);

        Outcome located = below.Entries.FindChain(hash, out long address);
        if (located > Outcome.NotFound) return attempt.LackBelow(located);
        if (located == Outcome.NotFound) return located;
        RecordAllocator log = below.Log;
        byte* record = log.Find(key, hash, log.HeadAddress, ref address, out ulong header);
        if (record == null)
        {
            if (address < log.BeginAddress) return Outcome.NotFound;

            // A chain on disk that still begins where the walk began has got nothing newer of the key.
            return read is not null && read.ChainStart == address
                ? Take(read, isCurrent: true, out found)
                : attempt.LackBelow(Outcome.OnDisk, address);
        }

        found = new RecordBelow { Address = address, Expiry = RecordExpiry.Never, IsCurrent = true };
        if ((header & RecordHeader.Tombstone) != 0) return Outcome.NotFound;
        byte* value = RecordExpiry.Value(record, header, key.SlotSize, out found.Expiry);
        found.Value = RecordValue<TOperation>.At(value, log.Layout);
        found.IsLarge = RecordValue<TOperation>.IsLarge(header);
        return Outcome.Ok;
    }

    /// <summary>What a walk in the tier below has found.</summary>
    /// <param name="read">The walk's result.</param>
    /// <param name="isCurrent">Whether it is what the tier has now.</param>
    /// <param name="found">As of <see cref="Find"/>.</param>
    /// <returns><see cref="Outcome.Ok"/>, or <see cref="Outcome.NotFound"/>.</returns>
    public static Outcome Take(ChainReadResult read, bool isCurrent, out RecordBelow found)
    {
        if (read.Deltas.Count != 0) throw DeltaValues.NoMerger(read.Address);
        found = new RecordBelow
        {
            Value = read.Value, IsLarge = read.IsLarge, Address = read.Address, Expiry = read.Expiry,
            IsFromDisk = true, IsCurrent = isCurrent,
        };
        return read.Found ? Outcome.Ok : Outcome.NotFound;
    }

    /// <summary>
    /// Whether the tier below, if there is one, may hold a record of a hash; the disk is not searched.
    /// </summary>
    public static bool MayHold(Tier? below, ulong hash)
    {
        if (below is null) return false;
        Outcome located = below.Entries.FindChain(hash, out long address);
        return located != Outcome.NotFound && (located != Outcome.Ok || address >= below.Log.BeginAddress);
    }
}
