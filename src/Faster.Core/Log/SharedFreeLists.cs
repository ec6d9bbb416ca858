using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using Faster.Contracts;

namespace Faster.Log;

/// <summary>
/// The free memory that sessions leave to each other, in batches: blocks that can be used, by size class, and blocks in
/// limbo, with the epoch that must be safe first.
/// </summary>
/// <remarks>
/// <para>A batch's first block holds the next block of the batch in its first word, and the next batch of its class,
/// with the count of its own blocks above the 48 bits of the address, in its second: a batch goes in or out by a few
/// stores under one short lock, taken once for a batch. No compare-and-swap, so no address that was used again
/// meanwhile can be taken for another.</para>
/// <para><b>Epochs.</b> A batch in limbo carries the newest epoch of its blocks, each read after the block was
/// unlinked. A reader that could find one of them entered before that epoch ended, so when it is safe no reader looks
/// at any of them, and the session that takes the batch may write to it. The lock orders what the freeing session did
/// before that.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed unsafe class SharedFreeLists<TProbe>
    where TProbe : struct, IProbe
{
    private const int AddressBits = 48;
    private const long AddressMask = (1L << AddressBits) - 1;

    /// <summary>The most blocks of a batch.</summary>
    public const int MostOfBatch = (1 << 15) - 1;

    private readonly Lock _lock = new();
    private readonly long[] _batches = new long[SizeClasses.Count];
    private readonly ulong[] _used = new ulong[(SizeClasses.Count + 63) / 64]; // the classes that have any
    private readonly Queue<FreedBlock[]> _limbo = new();
    private int _inLimbo;

    /// <summary>How many batches wait for their epoch.</summary>
    public int InLimbo => Volatile.Read(ref _inLimbo);

    /// <summary>Takes blocks that can be used.</summary>
    public void Put(int sizeClass, (long First, int Count) blocks)
    {
        TProbe.Point(ProbePoint.FreeList);
        lock (_lock)
        {
            *(long*)(blocks.First + 8) = _batches[sizeClass] | ((long)blocks.Count << AddressBits);
            _batches[sizeClass] = blocks.First;
            _used[sizeClass / 64] |= 1UL << (sizeClass % 64);
        }
    }

    /// <summary>Gives a batch of blocks out that can be used.</summary>
    public bool TryTake(int sizeClass, out (long First, int Count) blocks)
    {
        blocks = default;
        TProbe.Point(ProbePoint.FreeList);
        if (Volatile.Read(ref _batches[sizeClass]) == 0) return false;
        lock (_lock)
        {
            long first = _batches[sizeClass];
            if (first == 0) return false;
            long word = *(long*)(first + 8);
            blocks = (first, (int)(word >>> AddressBits));
            if ((_batches[sizeClass] = word & AddressMask) == 0)
                _used[sizeClass / 64] &= ~(1UL << (sizeClass % 64));
            return true;
        }
    }

    /// <summary>Gives a batch of the smallest blocks out that are at least as large as those of a class.</summary>
    public bool TryTakeLarger(ref int sizeClass, out (long First, int Count) blocks)
    {
        for (int c = sizeClass; (c = NextUsed(c)) >= 0; c++)
        {
            if (!TryTake(c, out blocks)) continue;
            sizeClass = c;
            return true;
        }

        blocks = default;
        return false;
    }

    /// <summary>Takes blocks that others may still be looking at; the last one's epoch is the newest.</summary>
    public void PutInLimbo(FreedBlock[] blocks)
    {
        if (blocks.Length == 0) return;
        TProbe.Point(ProbePoint.FreeList);
        lock (_lock)
        {
            _limbo.Enqueue(blocks);
            _inLimbo++;
        }
    }

    /// <summary>Gives blocks out that nobody looks at any more.</summary>
    /// <param name="safeEpoch">The newest safe epoch.</param>
    /// <param name="blocks">The blocks.</param>
    public bool TryTakeFromLimbo(long safeEpoch, [NotNullWhen(true)] out FreedBlock[]? blocks)
    {
        blocks = null;
        TProbe.Point(ProbePoint.FreeList);
        if (InLimbo == 0) return false;
        lock (_lock)
        {
            if (!_limbo.TryPeek(out blocks)) return false;
            if (blocks[^1].Epoch > safeEpoch && !TProbe.Has(SeededBug.SharedWithoutEpoch)) return false;
            _limbo.Dequeue();
            _inLimbo--;
            return true;
        }
    }

    private int NextUsed(int sizeClass)
    {
        lock (_lock)
        {
            for (int c = sizeClass; c < SizeClasses.Count; c = (c | 63) + 1)
            {
                ulong rest = _used[c / 64] >> (c % 64);
                if (rest != 0) return c + BitOperations.TrailingZeroCount(rest);
            }

            return -1;
        }
    }
}
