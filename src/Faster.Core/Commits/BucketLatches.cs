using Faster.Contracts;

namespace Faster.Commits;

/// <summary>
/// The shared and exclusive bucket latches of a commit (paper 004 §5.3), and the operations that wait for the disk,
/// counted by version: striped by the key's hash.
/// </summary>
/// <remarks>
/// <para>One word a stripe: bits 0–19 count the pending operations of even versions, 20–39 those of odd ones, 40–61 the
/// shared holders, bit 63 is the exclusive holder. A pending operation of v is a shared holder that may outlive its
/// epoch: as long as it is counted nobody holds the stripe exclusively for v + 1.</para>
/// <para>Invariants: the exclusive bit is set only while there are neither shared holders nor pending operations of the
/// version being committed; a holder lets go before it leaves its epoch; pending operations of v + 1 hold up nobody.
/// </para>
/// <para>The stripes lie beside the index, not in its buckets, so that a bucket may be split while a pending operation
/// holds its latch; and they are touched only during a commit, and by operations that go to disk anyway. Thread-safe;
/// nobody waits here.</para>
/// </remarks>
internal sealed class BucketLatches<TProbe>
    where TProbe : struct, IProbe
{
    private const int PendingBits = 20, SharedShift = 2 * PendingBits;
    private const ulong CountMask = (1UL << PendingBits) - 1;
    private const ulong OneShared = 1UL << SharedShift;
    private const ulong SharedMask = ((1UL << 22) - 1) << SharedShift;
    private const ulong Exclusive = 1UL << 63;

    private readonly ulong[] _words;
    private readonly ulong _mask;

    /// <summary>Latches for a number of stripes, rounded up to a power of two.</summary>
    public BucketLatches(long stripes)
    {
        _words = new ulong[System.Numerics.BitOperations.RoundUpToPowerOf2((ulong)stripes)];
        _mask = (ulong)_words.Length - 1;
    }

    /// <summary>Takes a shared latch.</summary>
    /// <returns>False when the stripe is held exclusively.</returns>
    public bool TryEnterShared(ulong hash)
    {
        ref ulong word = ref _words[hash & _mask];
        TProbe.Point(ProbePoint.BucketLatch);
        ulong seen = Volatile.Read(ref word);
        while ((seen & Exclusive) == 0 || TProbe.Has(SeededBug.SharedIgnoresExclusive))
        {
            ulong was = Interlocked.CompareExchange(ref word, seen + OneShared, seen);
            if (was == seen) return true;
            seen = was;
        }

        return false;
    }

    /// <summary>Gives a shared latch back.</summary>
    public void LeaveShared(ulong hash)
    {
        TProbe.Point(ProbePoint.BucketLatch);
        Interlocked.Add(ref _words[hash & _mask], unchecked(0 - OneShared));
    }

    /// <summary>Takes the exclusive latch for an operation of the version after <paramref name="version"/>.</summary>
    /// <returns>False when it is held, shared or exclusively, or operations of the version are pending.</returns>
    public bool TryEnterExclusive(ulong hash, long version)
    {
        ref ulong word = ref _words[hash & _mask];
        ulong blockers = Exclusive | SharedMask;
        if (!TProbe.Has(SeededBug.ExclusiveIgnoresPending)) blockers |= CountMask << ShiftOf(version);
        TProbe.Point(ProbePoint.BucketLatch);
        ulong seen = Volatile.Read(ref word);
        while ((seen & blockers) == 0)
        {
            ulong was = Interlocked.CompareExchange(ref word, seen | Exclusive, seen);
            if (was == seen) return true;
            seen = was;
        }

        return false;
    }

    /// <summary>Gives the exclusive latch back.</summary>
    public void LeaveExclusive(ulong hash)
    {
        TProbe.Point(ProbePoint.BucketLatch);
        Interlocked.And(ref _words[hash & _mask], ~Exclusive);
    }

    /// <summary>Counts a pending operation of a version.</summary>
    /// <returns>False when the stripe can count no more: wait until some are done.</returns>
    public bool TryAddPending(ulong hash, long version)
    {
        ref ulong word = ref _words[hash & _mask];
        int shift = ShiftOf(version);
        ulong seen = Volatile.Read(ref word);
        while (((seen >> shift) & CountMask) != CountMask)
        {
            ulong was = Interlocked.CompareExchange(ref word, seen + (1UL << shift), seen);
            if (was == seen) return true;
            seen = was;
        }

        return false;
    }

    /// <summary>A pending operation of a version has ended.</summary>
    public void RemovePending(ulong hash, long version)
    {
        TProbe.Point(ProbePoint.BucketLatch);
        Interlocked.Add(ref _words[hash & _mask], unchecked(0 - (1UL << ShiftOf(version))));
    }

    /// <summary>Whether operations of a version are pending in a hash's stripe.</summary>
    public bool HasPending(ulong hash, long version) =>
        ((Volatile.Read(ref _words[hash & _mask]) >> ShiftOf(version)) & CountMask) != 0;

    private static int ShiftOf(long version) => (int)(version & 1) * PendingBits;
}
