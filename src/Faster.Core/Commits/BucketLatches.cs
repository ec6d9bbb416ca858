using Faster.Invariants;
using Faster.Probes;

namespace Faster.Commits;

/// <summary>
/// The shared and exclusive bucket latches of a commit (paper 004 §5.3), and the number of operations that wait for the
/// disk, by version. Striped by the key's hash.
/// </summary>
/// <remarks>
/// <para>One word for each stripe: bits 0–19 count the pending operations of even versions, bits 20–39 those of odd
/// versions, bits 40–61 the shared holders; bit 63 is the exclusive holder. A pending operation of v is a shared holder
/// that may outlive its epoch: as long as it is counted, no operation of v + 1 holds the stripe exclusively.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The exclusive bit is set only while there are neither shared holders nor pending operations of the version
/// being committed.</item>
/// <item>A holder releases its latch before it leaves its epoch.</item>
/// <item>Pending operations of v + 1 block no operation.</item>
/// </list>
/// <para>The stripes lie beside the index, not in its buckets, so that a bucket may be split while a pending operation
/// holds its latch. They are touched only during a commit, and by operations that go to disk anyway. Thread-safe; no
/// call waits.</para>
/// </remarks>
internal sealed class BucketLatches
{
    private const int PendingBits = 20, SharedShift = 2 * PendingBits;
    private const ulong CountMask = (1UL << PendingBits) - 1;
    private const ulong OneShared = 1UL << SharedShift;
    private const ulong SharedMask = ((1UL << 22) - 1) << SharedShift;
    private const ulong Exclusive = 1UL << 63;

    private readonly ulong[] _words;
    private readonly ulong _mask;

    /// <summary>Makes latches for a number of stripes, rounded up to a power of two.</summary>
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
        Probe.Point(ProbePoint.BucketLatch);
        ulong seen = Volatile.Read(ref word);
        while ((seen & Exclusive) == 0 || (Probe.On && Probe.Has(SeededBug.SharedIgnoresExclusive)))
        {
            ulong was = Interlocked.CompareExchange(ref word, seen + OneShared, seen);
            if (was == seen) return true;
            seen = was;
        }

        return false;
    }

    /// <summary>Releases a shared latch.</summary>
    public void LeaveShared(ulong hash)
    {
        Probe.Point(ProbePoint.BucketLatch);
        ulong before = unchecked(Interlocked.Add(ref _words[hash & _mask], 0 - OneShared) + OneShared);
        Invariant.Check((before & SharedMask) != 0, $"a shared latch that is released was held: {before:x}");
    }

    /// <summary>Takes the exclusive latch for an operation of the version after <paramref name="version"/>.</summary>
    /// <returns>
    /// False when the stripe is held, shared or exclusively, or has pending operations of the version.
    /// </returns>
    public bool TryEnterExclusive(ulong hash, long version)
    {
        ref ulong word = ref _words[hash & _mask];
        ulong blockers = Exclusive | SharedMask;
        if (!(Probe.On && Probe.Has(SeededBug.ExclusiveIgnoresPending))) blockers |= CountMask << ShiftOf(version);
        Probe.Point(ProbePoint.BucketLatch);
        ulong seen = Volatile.Read(ref word);
        while ((seen & blockers) == 0)
        {
            ulong was = Interlocked.CompareExchange(ref word, seen | Exclusive, seen);
            if (was == seen) return true;
            seen = was;
        }

        return false;
    }

    /// <summary>Releases the exclusive latch.</summary>
    public void LeaveExclusive(ulong hash)
    {
        Probe.Point(ProbePoint.BucketLatch);
        ulong before = Interlocked.And(ref _words[hash & _mask], ~Exclusive);
        Invariant.Check((before & Exclusive) != 0, $"an exclusive latch that is released was held: {before:x}");
    }

    /// <summary>Counts a pending operation of a version.</summary>
    /// <returns>
    /// False when the stripe's counter is full; the caller must wait until some operations have ended.
    /// </returns>
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

    /// <summary>Called when a pending operation of a version has ended.</summary>
    public void RemovePending(ulong hash, long version)
    {
        Probe.Point(ProbePoint.BucketLatch);
        ulong one = 1UL << ShiftOf(version);
        ulong before = unchecked(Interlocked.Add(ref _words[hash & _mask], 0 - one) + one);
        Invariant.Check(
            ((before >> ShiftOf(version)) & CountMask) != 0,
            $"a pending operation of version {version} that ends was counted: {before:x}");
    }

    /// <summary>Whether operations of a version are pending in a hash's stripe.</summary>
    public bool HasPending(ulong hash, long version) =>
        ((Volatile.Read(ref _words[hash & _mask]) >> ShiftOf(version)) & CountMask) != 0;

    private static int ShiftOf(long version) => (int)(version & 1) * PendingBits;
}
