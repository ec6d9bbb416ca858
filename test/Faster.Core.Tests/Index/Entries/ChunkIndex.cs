using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Store.Operations;

namespace Faster.Tests.Index.Entries;

/// <summary>
/// An index whose entries lie in records of a log of their own, as those of F2's cold index do (paper 003 §6): chunks
/// of a few entries, found by the hash's upper bits. A mutable chunk is changed in place, an older one by a copy at the
/// tail; the oldest are on disk.
/// </summary>
/// <remarks>
/// <para>A hash has one entry because its bits say which: an insert is one compare-and-swap from 0.</para>
/// <para>Why no change is lost: a chunk is copied only below SafeReadOnly. A thread that has seen it above ReadOnly
/// changes it within an epoch that began before the marker moved, and SafeReadOnly waits for that. The copy is linked
/// by a compare-and-swap from the chunk that was copied.</para>
/// <para>Thread-safe, latch-free but for the one thread at a time that evicts.</para>
/// </remarks>
internal sealed unsafe class ChunkIndex<TProbe> : ITierIndex
    where TProbe : struct, IProbe
{
    /// <summary>The bits of the hash, below those of the chunk, that choose the entry in it.</summary>
    public const int EntryBits = 2;

    private const int Entries = 1 << EntryBits;
    private const ulong Evicted = 0x3FFF_DEAD_DEAD_DEAD; // where a chunk was that no thread may read any more

    private readonly EpochTable<TProbe> _epochs;
    private readonly int _chunkBits;
    private readonly bool _copiesTooEarly;
    private readonly long[] _newest;  // of each chunk; 0: none yet
    private readonly ulong[] _memory; // the chunk of address a at a * Entries
    private readonly ConcurrentDictionary<long, ulong[]> _disk = new();
    private readonly Lock _evicting = new();
    private long _tail, _head = 1, _safeReadOnly = 1, _readOnly = 1;

    /// <summary>Makes an empty index.</summary>
    /// <param name="epochs">The epochs that its users enter.</param>
    /// <param name="chunkBits">How many bits of the hash choose the chunk.</param>
    /// <param name="capacity">How many chunks may be written.</param>
    /// <param name="copiesTooEarly">Whether chunks are copied that others may still change: a defect.</param>
    public ChunkIndex(EpochTable<TProbe> epochs, int chunkBits, int capacity, bool copiesTooEarly = false)
    {
        (_epochs, _chunkBits, _copiesTooEarly) = (epochs, chunkBits, copiesTooEarly);
        _newest = new long[1 << chunkBits];
        _memory = GC.AllocateArray<ulong>(capacity * Entries, pinned: true);
    }

    /// <summary>What reads of chunks fail with; null: they do not.</summary>
    public Exception? ReadFault { get; set; }

    /// <summary>How many chunks were read from disk.</summary>
    public long Reads;

    /// <summary>How many chunks were written: each first one, each copy.</summary>
    public long Written => Volatile.Read(ref _tail);

    /// <summary>The place of a hash's entry.</summary>
    public uint PlaceOf(ulong hash) => (uint)(hash >> (64 - _chunkBits - EntryBits));

    /// <inheritdoc cref="IEntryAccess{TSelf}.Find"/>
    public Outcome Find(ref EntryRef entry)
    {
        TProbe.Point(ProbePoint.IndexScan);
        entry.Home = entry.Slot = null;
        entry.Word = 0;
        long at = Volatile.Read(ref _newest[entry.Tag >> EntryBits]);
        if (at == 0) return Outcome.NotFound;
        if (at < Volatile.Read(ref _head)) return Outcome.EntryOnDisk;
        ulong* chunk = Chunk(at);
        entry.Home = chunk;
        ulong word = Volatile.Read(ref chunk[Position(entry.Tag)]);
        if (word == 0) return Outcome.NotFound;
        entry.Slot = chunk + Position(entry.Tag);
        entry.Word = word;
        return Outcome.Ok;
    }

    /// <summary>Changes an entry, or makes one, if it still is as it was found.</summary>
    public Outcome Change(in EntryRef entry, ulong word)
    {
        TProbe.Point(ProbePoint.IndexReplace);
        var chunk = (ulong*)entry.Home;
        if (chunk == null) return Copy(entry.Tag, 0, default, word);
        ulong* slot = chunk + Position(entry.Tag);
        long at = (chunk - Chunk(0)) / Entries;
        if (at >= Volatile.Read(ref _readOnly))
        {
            TProbe.Point(ProbePoint.RecordUpdate);
            return Interlocked.CompareExchange(ref *slot, word, entry.Word) == entry.Word ? Outcome.Ok : Outcome.Retry;
        }

        if (at >= Volatile.Read(ref _safeReadOnly) && !_copiesTooEarly) return Outcome.Fuzzy;
        return Volatile.Read(ref *slot) == entry.Word
            ? Copy(entry.Tag, at, new ReadOnlySpan<ulong>(chunk, Entries), word)
            : Outcome.Retry;
    }

    /// <summary>Sends all chunks to disk that no thread may still change.</summary>
    public void Age()
    {
        ShiftReadOnly();
        Evict();
    }

    /// <summary>Makes the chunks up to the tail read-only.</summary>
    public void ShiftReadOnly()
    {
        long until = Volatile.Read(ref _tail) + 1;
        TProbe.Point(ProbePoint.RegionMarker);
        Raise(ref _readOnly, until);
        _epochs.Bump(() => Raise(ref _safeReadOnly, until));
    }

    /// <summary>Sends the immutable chunks to disk.</summary>
    public void Evict()
    {
        long from, until;
        lock (_evicting)
        {
            (from, until) = (_head, Volatile.Read(ref _safeReadOnly));
            for (long at = from; at < until; at++) _disk[at] = new ReadOnlySpan<ulong>(Chunk(at), Entries).ToArray();
            Volatile.Write(ref _head, until);
        }

        _epochs.Bump(() => new Span<ulong>(Chunk(from), (int)(until - from) * Entries).Fill(Evicted));
    }

    /// <inheritdoc/>
    public void Unpin(int pin) => Assert.Fail("Nothing was pinned.");

    /// <inheritdoc/>
    public bool HelpResize(EpochSlot* slot, out bool lacksSpace)
    {
        Assert.Fail("This index is never resized.");
        return lacksSpace = false;
    }

    /// <inheritdoc/>
    public Outcome FindChain(ulong hash, out long address)
    {
        address = 0;
        var entries = new ChunkEntries<TProbe>(this);
        Outcome outcome = entries.Locate(hash, out EntryRef entry);
        if (outcome != Outcome.Ok) return outcome;
        outcome = entries.Find(ref entry);
        if (outcome == Outcome.Ok) address = entry.Address;
        if (entry.Pin >= 0) Unpin(entry.Pin);
        return outcome;
    }

    /// <inheritdoc/>
    /// <remarks>What was read becomes the newest copy of its chunk.</remarks>
    public void ReadEntry(ulong hash, Action<Exception?> onRead)
    {
        if (TProbe.Wait(null)) Read(hash, onRead); // a test's scheduler has no thread aside
        else _ = Task.Run(() => Read(hash, onRead));
    }

    private void Read(ulong hash, Action<Exception?> onRead)
    {
        Exception? error = ReadFault;
        if (error is null)
        {
            Interlocked.Increment(ref Reads);
            EpochSlot* slot = _epochs.Acquire("the read of a chunk");
            _epochs.Enter(slot);
            uint place = PlaceOf(hash);
            long at = Volatile.Read(ref _newest[place >> EntryBits]);
            if (at < Volatile.Read(ref _head)) _ = Copy(place, at, _disk[at], _disk[at][Position(place)]);
            _epochs.Leave(slot);
            _epochs.Release(slot);
        }

        onRead(error);
    }

    // Within an epoch: until it ends, the new chunk can't become immutable.
    private Outcome Copy(uint place, long at, ReadOnlySpan<ulong> old, ulong word)
    {
        long fresh = Interlocked.Increment(ref _tail);
        Assert.True((fresh + 1) * Entries <= _memory.Length, "The log of chunks is full.");
        var chunk = new Span<ulong>(Chunk(fresh), Entries);
        old.CopyTo(chunk);
        chunk[Position(place)] = word;
        TProbe.Point(ProbePoint.RecordLink);
        long was = Interlocked.CompareExchange(ref _newest[place >> EntryBits], fresh, at);
        return was == at ? Outcome.Ok : Outcome.Retry;
    }

    private static int Position(uint place) => (int)(place & (Entries - 1));

    private ulong* Chunk(long at) => (ulong*)Marshal.UnsafeAddrOfPinnedArrayElement(_memory, 0) + (at * Entries);

    private static void Raise(ref long marker, long to)
    {
        long seen = Volatile.Read(ref marker);
        while (seen < to)
        {
            long was = Interlocked.CompareExchange(ref marker, to, seen);
            if (was == seen) return;
            seen = was;
        }
    }
}
