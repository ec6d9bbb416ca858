using Faster.Epochs;
using Faster.Index;
using Faster.Invariants;
using Faster.Log.Records;

namespace Faster.Checkpoints.Recovery;

/// <summary>
/// Replays records that a recovery finds into the index (paper 004 §5.5): each entry ends at the newest record of its
/// chain that counts, in whatever order the records are found.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Addresses of entries only rise, except that an entry which points to a record that is left out is redirected
/// to an older one, or removed.</item>
/// <item>The index is not resized meanwhile.</item>
/// </list>
/// <para>A few records are queued until their buckets have been prefetched.</para>
/// <para>One thread uses a replayer at a time; any number of replayers work on one index. The index must not be resized
/// meanwhile: a split would have to follow chains whose records are not in memory yet.</para>
/// </remarks>
internal sealed unsafe class IndexReplayer : IDisposable
{
    private const int Ahead = 16;

    private readonly EpochTable _epochs;
    private readonly HashIndex _index;
    private readonly (ulong Hash, long Address)[] _waiting = new (ulong, long)[Ahead];
    private EpochSlot* _slot;
    private int _next;

    /// <summary>Makes a replayer, which takes an epoch slot.</summary>
    public IndexReplayer(EpochTable epochs, HashIndex index)
    {
        _epochs = epochs;
        _index = index;
        _slot = epochs.Acquire("the recovery");
    }

    /// <summary>Enters the epoch; called before a series of calls of the <c>UnderEpoch</c> members.</summary>
    public void Enter() => _epochs.Enter(_slot);

    /// <summary>Replays what is still queued, and leaves the epoch.</summary>
    public void Leave()
    {
        for (int i = 0; i < Ahead; i++) ReplayOldest(default);
        _epochs.Leave(_slot);
    }

    /// <summary>Makes the entry of a hash point to a record, unless the entry points to a later one.</summary>
    public void ReplayUnderEpoch(ulong hash, long address)
    {
        _index.Prefetch(hash);
        ReplayOldest((hash, address));
    }

    /// <summary>Makes the entry of a hash point elsewhere, if it points to a record that is left out.</summary>
    /// <param name="hash">The record's hash.</param>
    /// <param name="address">The address of the record that is left out.</param>
    /// <param name="instead">The newest record behind it that counts, or 0 to remove the entry.</param>
    public void RedirectUnderEpoch(ulong hash, long address, long instead)
    {
        Invariant.Check(instead < address, $"an entry is redirected to an older record: from {address} to {instead}");
        BucketRef bucket = Locate(hash);
        for (;;)
        {
            ulong* slot = HashIndex.Find(bucket.Bucket, HashBits.TagOf(hash), out ulong word);
            if (slot == null || HashIndex.AddressOf(word) != address) return;
            bool done = instead == 0
                ? HashIndex.TryRemove(slot, word)
                : HashIndex.TryReplace(slot, word, instead);
            if (done) return;
        }
    }

    /// <summary>Releases the epoch slot. Idempotent.</summary>
    public void Dispose()
    {
        if (_slot == null) return;
        _epochs.Release(_slot);
        _slot = null;
    }

    private void ReplayOldest((ulong Hash, long Address) instead)
    {
        (ulong hash, long address) = _waiting[_next];
        _waiting[_next] = instead;
        _next = (_next + 1) % Ahead;
        if (address == 0) return;
        uint tag = HashBits.TagOf(hash);
        BucketRef bucket = Locate(hash);
        for (;;)
        {
            ulong* slot = HashIndex.Find(bucket.Bucket, tag, out ulong word);
            bool done = slot == null
                ? _index.TryInsert(bucket.Bucket, tag, address)
                : HashIndex.AddressOf(word) >= address || HashIndex.TryReplace(slot, word, address);
            if (done) return;
        }
    }

    private BucketRef Locate(ulong hash)
    {
        bool located = _index.TryLocate(hash, out BucketRef bucket);
        Invariant.Check(located && bucket.Pin < 0, $"the index is not resized during a recovery; pin {bucket.Pin}");
        return bucket;
    }
}
