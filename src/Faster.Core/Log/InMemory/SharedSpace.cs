using System.Diagnostics.CodeAnalysis;
using Faster.Memory;
using Faster.Probes;

namespace Faster.Log.InMemory;

/// <summary>
/// What sessions share of an arena: its free blocks, and batches of blocks in limbo with the epoch that must be safe
/// first.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A block is free here, in one batch in limbo, or belongs to the session that has taken it.</item>
/// <item>A batch leaves limbo only when its newest epoch is safe.</item>
/// <item>Memory taken and its map stay within the limit in effect when they were taken. The last
/// <see cref="Reserve"/> bytes of it go only to records that replace others as large. New records leave as many bytes
/// free elsewhere as replacements have taken of them.</item>
/// </list>
/// <para><b>Epochs.</b> A batch in limbo carries the newest epoch of its blocks, each read after the block was
/// unlinked. A reader that could find one of them entered before that epoch ended, so when it is safe no reader
/// accesses any of them, and the session that takes the batch may write to it. The lock orders the freeing session's
/// earlier accesses before that.</para>
/// <para>Thread-safe: each call takes one short lock, in which nothing waits.</para>
/// </remarks>
internal sealed class SharedSpace : IDisposable
{
    private const int PartInReserve = 64, MostPartInReserve = 8; // divisors of the limit

    private readonly Lock _lock = new();
    private readonly NativeBlock _arena;
    private readonly FreeSpace _space;
    private readonly Queue<FreedBlock[]> _limbo = new();
    private readonly bool _hasReserve;
    private long _limit;
    private long _bytesTaken;
    private int _inLimbo;
    private long _limboBytes;
    private long _touched; // the bytes from the start of the arena that may cost memory
    private int _largest;  // the largest block so far

    /// <summary>Shares memory of which nothing is taken yet.</summary>
    /// <param name="bytes">The most bytes that may ever be taken, with their part of the map.</param>
    /// <param name="limit">The bytes that may be taken, with their part of the map.</param>
    /// <param name="hasReserve">Whether a part is reserved for replacements.</param>
    public unsafe SharedSpace(long bytes, long limit, bool hasReserve)
    {
        _arena = new NativeBlock(WithoutMap(bytes));
        _space = new FreeSpace((long)_arena.Pointer, _arena.Bytes);
        _hasReserve = hasReserve;
        _limit = limit;
    }

    /// <summary>The bytes from the first to the last that is taken, with their part of the map.</summary>
    public long BytesTaken => Volatile.Read(ref _bytesTaken);

    /// <summary>The most that <see cref="BytesTaken"/> may become now.</summary>
    public long Limit => Volatile.Read(ref _limit);

    /// <summary>The number of batches that wait for their epoch.</summary>
    public int InLimbo => Volatile.Read(ref _inLimbo);

    /// <summary>The bytes of the blocks that wait for their epoch.</summary>
    public long LimboBytes => Volatile.Read(ref _limboBytes);

    /// <summary>The bytes within the limit that only replacements may take.</summary>
    private long Reserve => !_hasReserve
        ? 0
        : Math.Min(Math.Max(_limit / PartInReserve, _largest), _limit / MostPartInReserve) & ~7L;

    /// <summary>Gives a part of a session's piece back, and takes memory.</summary>
    /// <param name="least">The bytes that are needed, the size of a class.</param>
    /// <param name="wanted">The bytes to take where there is much.</param>
    /// <param name="use">What they are for.</param>
    /// <param name="piece">The bytes to give back, if any; then those that were taken.</param>
    public bool TryTake(int least, int wanted, SpaceFor use, ref (long Next, long End) piece)
    {
        Probe.Point(ProbePoint.FreeList);
        lock (_lock)
        {
            if (piece.End > piece.Next) _space.Give(piece.Next, piece.End - piece.Next);
            long bound = _space.Start + WithoutMap(_limit), reserve = Reserve, block = 0;
            int bytes = 0;
            if (use == SpaceFor.Replacement) block = _space.Take(least, wanted, bound, out bytes);
            else if (LeavesReserve(bound - reserve, least))
                block = _space.Take(least, wanted, use == SpaceFor.Reuse ? 0 : bound - reserve, out bytes);
            if (block != 0) _largest = Math.Max(_largest, least);
            Publish();
            piece = (block, block + bytes);
            return block != 0;
        }
    }

    /// <summary>Takes back a range that no session accesses any more.</summary>
    public void Give(long address, long bytes)
    {
        Probe.Point(ProbePoint.FreeList);
        lock (_lock)
        {
            _space.Give(address, bytes);
            Publish();
        }
    }

    /// <summary>Takes back blocks of a class, each with the address of the next in its first word.</summary>
    public void GiveAll(int sizeClass, long first)
    {
        Probe.Point(ProbePoint.FreeList);
        int bytes = SizeClasses.BytesOf(sizeClass);
        lock (_lock)
        {
            for (long block = first, next; block != 0; block = next)
            {
                next = FreeLists.Next(block);
                _space.Give(block, bytes);
            }

            Publish();
        }
    }

    /// <summary>Adds blocks that other sessions may still be reading; the last one's epoch is the newest.</summary>
    public void PutInLimbo(FreedBlock[] blocks)
    {
        if (blocks.Length == 0) return;
        Probe.Point(ProbePoint.FreeList);
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
        Probe.Point(ProbePoint.FreeList);
        if (InLimbo == 0) return false;
        lock (_lock)
        {
            if (!_limbo.TryPeek(out blocks)) return false;
            if (blocks[^1].Epoch > safeEpoch && !(Probe.On && Probe.Has(SeededBug.SharedWithoutEpoch))) return false;
            _limbo.Dequeue();
            _inLimbo--;
            _limboBytes -= BytesOf(blocks);
            return true;
        }
    }

    /// <summary>
    /// Changes the limit; bytes taken above a lower limit stay taken, free memory above it goes back to the system.
    /// </summary>
    public void SetLimit(long bytes)
    {
        lock (_lock)
        {
            Volatile.Write(ref _limit, bytes);
            long kept = Pages(Math.Max(_space.End - _space.Start, WithoutMap(bytes)));
            if (kept >= _touched) return;
            _arena.Decommit(kept, Pages(_touched) - kept);
            _touched = kept;
        }
    }

    /// <summary>Touches the first bytes, at most <see cref="Limit"/>; before sessions take any.</summary>
    public void Populate(long bytes)
    {
        long page = Environment.SystemPageSize;
        _touched = Math.Min(bytes, WithoutMap(Limit)) / page * page;
        _arena.Populate(0, _touched);
    }

    /// <summary>Checks the invariants, and visits each free block, by address.</summary>
    public void Walk(Action<long, long> visit)
    {
        lock (_lock) _space.Walk(visit);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _space.Dispose();
        _arena.Dispose();
    }

    /// <summary>Whether a range lies in the arena.</summary>
    public bool Contains(long address, int bytes) => (address & 7) == 0
        && address >= _space.Start && address + bytes <= _space.Start + _arena.Bytes;

    private static long Pages(long bytes) =>
        (bytes + Environment.SystemPageSize - 1) / Environment.SystemPageSize * Environment.SystemPageSize;

    private static long WithMap(long bytes) => bytes + ((bytes + FreeSpace.PartOfMap - 1) / FreeSpace.PartOfMap);

    /// <summary>The most bytes that fit into a number of bytes with their map, a multiple of 8.</summary>
    private static long WithoutMap(long bytes) =>
        (bytes - ((bytes + FreeSpace.PartOfMap) / (FreeSpace.PartOfMap + 1))) & ~7L;

    // Replacements leave free blocks for what they take of the reserve: new records must leave as much in blocks that
    // are large enough for themselves.
    private bool LeavesReserve(long end, int least) =>
        _space.End <= end || _space.BytesOfBlocks(least) >= _space.End - end + least;

    private static long BytesOf(FreedBlock[] blocks)
    {
        long bytes = 0;
        foreach (FreedBlock block in blocks) bytes += SizeClasses.BytesOf(block.Class);
        return bytes;
    }

    // After the end has moved.
    private void Publish()
    {
        long taken = _space.End - _space.Start;
        _touched = Math.Max(_touched, taken);
        Volatile.Write(ref _bytesTaken, WithMap(taken));
    }
}

/// <summary>What memory is taken for.</summary>
internal enum SpaceFor
{
    /// <summary>A record that may take memory after the last one.</summary>
    NewRecord,

    /// <summary>A record that may not: it waits for blocks in limbo.</summary>
    Reuse,

    /// <summary>A record that replaces another that is at least as large: it may use the reserve.</summary>
    Replacement,
}
