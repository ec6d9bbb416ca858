using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using Faster.Contracts;
using Faster.Invariants;

namespace Faster.Log.InMemory;

/// <summary>
/// The free memory that sessions pass to each other: batches of reusable blocks by size class, batches of blocks in
/// limbo, with the epoch that must be safe first, and pieces that are not cut into blocks yet.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A batch belongs to the session that has taken it, or lies here; no block is in two batches.</item>
/// <item>A batch has 1 to <see cref="MaxOfBatch"/> blocks of one class.</item>
/// <item>A batch leaves limbo only when its newest epoch is safe.</item>
/// </list>
/// <para>A batch's first block holds the next block of the batch in its first word. Its second word holds the next
/// batch of its class, with the number of its own blocks above the 48 bits of the address. A batch is added or removed
/// by a few stores under one short lock, taken once for a batch. There is no compare-and-swap, so an address that was
/// reused meanwhile can't be mistaken for another (no ABA).</para>
/// <para><b>Epochs.</b> A batch in limbo carries the newest epoch of its blocks, each read after the block was
/// unlinked. A reader that could find one of them entered before that epoch ended, so when it is safe no reader
/// accesses any of them, and the session that takes the batch may write to it. The lock orders the freeing session's
/// earlier accesses before that.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed unsafe class SharedFreeLists<TProbe>
    where TProbe : struct, IProbe
{
    private const int AddressBits = 48;
    private const long AddressMask = (1L << AddressBits) - 1;

    /// <summary>The maximum number of blocks of a batch.</summary>
    public const int MaxOfBatch = (1 << 15) - 1;

    private const int MaxPieces = 16; // that an allocation looks at

    private readonly Lock _lock = new();
    private readonly long[] _batches = new long[SizeClasses.Count];
    private readonly ulong[] _used = new ulong[(SizeClasses.Count + 63) / 64]; // a bit for each class with batches
    private readonly Queue<FreedBlock[]> _limbo = new();
    private readonly List<(long Next, long End)> _pieces = [];
    private int _inLimbo;
    private long _limboBytes;

    /// <summary>The number of batches that wait for their epoch.</summary>
    public int InLimbo => Volatile.Read(ref _inLimbo);

    /// <summary>The bytes of the blocks that wait for their epoch.</summary>
    public long LimboBytes => Volatile.Read(ref _limboBytes);

    /// <summary>Adds a batch of reusable blocks.</summary>
    public void Put(int sizeClass, (long First, int Count) blocks)
    {
        TProbe.Point(ProbePoint.FreeList);
        lock (_lock)
        {
            Invariant.Check(
                blocks.Count is > 0 and <= MaxOfBatch && (blocks.First & ~AddressMask) == 0 && (blocks.First & 7) == 0,
                $"a batch has 1 to {MaxOfBatch} blocks: {blocks.Count} at {blocks.First:x}");
            *(long*)(blocks.First + 8) = _batches[sizeClass] | ((long)blocks.Count << AddressBits);
            _batches[sizeClass] = blocks.First;
            _used[sizeClass / 64] |= 1UL << (sizeClass % 64);
        }
    }

    /// <summary>Removes a batch of reusable blocks of a class.</summary>
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

    /// <summary>Removes a batch of the smallest blocks that are at least as large as those of a class.</summary>
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

    /// <summary>Adds the rest of a piece that a session has cut blocks from.</summary>
    public void PutPiece(long next, long end)
    {
        TProbe.Point(ProbePoint.FreeList);
        lock (_lock) _pieces.Add((next, end));
    }

    /// <summary>Removes a piece of at least a number of bytes, unless the newest ones are all smaller.</summary>
    public bool TryTakePiece(int bytes, out (long Next, long End) piece)
    {
        piece = default;
        TProbe.Point(ProbePoint.FreeList);
        lock (_lock)
        {
            for (int i = _pieces.Count - 1; i >= Math.Max(0, _pieces.Count - MaxPieces); i--)
            {
                if (_pieces[i].End - _pieces[i].Next < bytes) continue;
                piece = _pieces[i];
                _pieces.RemoveAt(i);
                return true;
            }

            return false;
        }
    }

    /// <summary>Adds blocks that other sessions may still be reading; the last one's epoch is the newest.</summary>
    public void PutInLimbo(FreedBlock[] blocks)
    {
        if (blocks.Length == 0) return;
        TProbe.Point(ProbePoint.FreeList);
        long bytes = BytesOf(blocks);
        lock (_lock)
        {
            _limbo.Enqueue(blocks);
            _inLimbo++;
            _limboBytes += bytes;
        }
    }

    /// <summary>Removes a batch of blocks that no session reads any more.</summary>
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
            _limboBytes -= BytesOf(blocks);
            return true;
        }
    }

    private static long BytesOf(FreedBlock[] blocks)
    {
        long bytes = 0;
        foreach (FreedBlock block in blocks) bytes += SizeClasses.BytesOf(block.Class);
        return bytes;
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
