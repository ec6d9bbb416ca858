using System.Diagnostics;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;

namespace Faster.Checkpoints;

/// <summary>
/// Brings index entries up to the records that a recovery finds (paper 004 §5.5): each entry ends at the newest record
/// of its chain that counts, in whatever order records are found.
/// </summary>
/// <remarks>
/// Entries only rise, but for those that pointed to a record which is left out. A few records wait until their buckets
/// have come near the processor. One thread for each raiser; any number of raisers on one index, which is not
/// resized meanwhile: that would take chains apart that are not in memory yet.
/// </remarks>
internal sealed unsafe class EntryRaiser<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const int Ahead = 16;

    private readonly EpochTable<TProbe> _epochs;
    private readonly HashIndex<TProbe> _index;
    private readonly (ulong Hash, long Address)[] _waiting = new (ulong, long)[Ahead];
    private EpochSlot* _slot;
    private int _next;

    /// <summary>Makes a raiser.</summary>
    public EntryRaiser(EpochTable<TProbe> epochs, HashIndex<TProbe> index)
    {
        _epochs = epochs;
        _index = index;
        _slot = epochs.Acquire("the recovery");
    }

    /// <summary>Before a row of calls of the other members.</summary>
    public void Enter() => _epochs.Enter(_slot);

    /// <summary>After them: what waited is done.</summary>
    public void Leave()
    {
        for (int i = 0; i < Ahead; i++) RaiseOldest(default);
        _epochs.Leave(_slot);
    }

    /// <summary>Makes the entry of a hash point to a record, unless it points to a later one.</summary>
    public void RaiseUnderEpoch(ulong hash, long address)
    {
        _index.Prefetch(hash);
        RaiseOldest((hash, address));
    }

    /// <summary>Makes the entry of a hash point elsewhere, if it points to a record that is left out.</summary>
    /// <param name="hash">The record's hash.</param>
    /// <param name="address">The record.</param>
    /// <param name="instead">The newest one behind it that counts, or 0 to remove the entry.</param>
    public void RedirectUnderEpoch(ulong hash, long address, long instead)
    {
        BucketRef bucket = Locate(hash);
        for (;;)
        {
            ulong* slot = HashIndex<TProbe>.Find(bucket.Bucket, HashBits.TagOf(hash), out ulong word);
            if (slot == null || HashIndex<TProbe>.AddressOf(word) != address) return;
            bool done = instead == 0
                ? HashIndex<TProbe>.TryRemove(slot, word)
                : HashIndex<TProbe>.TryReplace(slot, word, instead);
            if (done) return;
        }
    }

    /// <summary>Gives the slot back. Idempotent.</summary>
    public void Dispose()
    {
        if (_slot == null) return;
        _epochs.Release(_slot);
        _slot = null;
    }

    private void RaiseOldest((ulong Hash, long Address) instead)
    {
        (ulong hash, long address) = _waiting[_next];
        _waiting[_next] = instead;
        _next = (_next + 1) % Ahead;
        if (address == 0) return;
        uint tag = HashBits.TagOf(hash);
        BucketRef bucket = Locate(hash);
        for (;;)
        {
            ulong* slot = HashIndex<TProbe>.Find(bucket.Bucket, tag, out ulong word);
            bool done = slot == null
                ? _index.TryInsert(bucket.Bucket, tag, address)
                : HashIndex<TProbe>.AddressOf(word) >= address || HashIndex<TProbe>.TryReplace(slot, word, address);
            if (done) return;
        }
    }

    private BucketRef Locate(ulong hash)
    {
        bool located = _index.TryLocate(hash, out BucketRef bucket);
        Debug.Assert(located && bucket.Pin < 0, "The index is resized during a recovery.");
        return bucket;
    }
}
