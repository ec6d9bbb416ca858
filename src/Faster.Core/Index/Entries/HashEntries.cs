using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Index.Entries;

/// <summary>The entries of a <see cref="HashIndex"/>: in buckets, always in memory.</summary>
/// <remarks>
/// No state, no decision: each call is one of the index, whose page leads to the proofs (docs/internals/hash-index.md).
/// </remarks>
internal readonly unsafe struct HashEntries(HashIndex index) : IEntryAccess<HashEntries>
{
    /// <inheritdoc/>
    public static HashEntries Of(ITierIndex index) => new((HashIndex)index);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Locate(ulong hash, out EntryRef entry)
    {
        bool located = index.TryLocate(hash, out BucketRef bucket);
        entry = new EntryRef { Home = bucket.Bucket, Tag = HashBits.TagOf(hash), Pin = bucket.Pin };
        return located ? Outcome.Ok : Outcome.IndexResizing;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Find(ref EntryRef entry)
    {
        entry.Slot = HashIndex.Find((HashBucket*)entry.Home, entry.Tag, out entry.Word);
        return entry.Slot == null ? Outcome.NotFound : Outcome.Ok;
    }

    /// <inheritdoc/>
    public Outcome Insert(in EntryRef entry, long address) =>
        Changed(index.TryInsert((HashBucket*)entry.Home, entry.Tag, address));

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Replace(in EntryRef entry, long address) =>
        Changed(HashIndex.TryReplace(entry.Slot, entry.Word, address));

    /// <inheritdoc/>
    public Outcome Remove(in EntryRef entry) => Changed(HashIndex.TryRemove(entry.Slot, entry.Word));

    /// <inheritdoc/>
    /// <remarks>In a chain with shared tags, no new entry could be made either.</remarks>
    public bool IsShared(in EntryRef entry) => HashBucket.SharesTags((HashBucket*)entry.Home);

    /// <inheritdoc cref="ITierIndex.Unpin"/>
    public void Unpin(in EntryRef entry)
    {
        if (entry.Pin >= 0) index.Unpin(entry.Pin);
    }

    /// <summary>Implements a seeded bug: replaces the entry's address, whatever it is by now.</summary>
    public static Outcome Overwrite(in EntryRef entry, long address)
    {
        Probe.Point(ProbePoint.IndexReplace);
        Volatile.Write(ref *entry.Slot, EntryWord.WithAddress(entry.Word, address));
        return Outcome.Ok;
    }

    private static Outcome Changed(bool done) => done ? Outcome.Ok : Outcome.Retry;
}
