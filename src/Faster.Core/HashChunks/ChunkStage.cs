using Faster.Contracts;
using Faster.Memory;

namespace Faster.HashChunks;

/// <summary>Copies of chunks that were read from disk, until other reads displace them.</summary>
/// <remarks>
/// <para>A chunk on disk never changes, so a copy is as good as its record for as long as the directory leads to it:
/// a copy is used without being written to the log first. Each address may lie in one set of a few frames; the oldest
/// frame of the set is overwritten.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A frame's sequence number is odd while the frame is written, and larger than before afterwards. So a reader
/// that finds the same even number before and after it has copied the frame has copied it whole.</item>
/// <item>A frame is written by the thread that has made its number odd by compare-and-swap, and by no other.</item>
/// <item>The memory of frames is not freed before the index is.</item>
/// </list>
/// <para>Thread-safe, and no thread waits: a thread that finds a frame being written takes the next one of the set. Two
/// threads may add the same chunk; one of the copies is then displaced unused.</para>
/// </remarks>
internal sealed unsafe class ChunkStage<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const int Ways = 8, SequenceAt = 0, AddressAt = 1, WordsAt = 2; // in words of a frame

    private readonly NativeBlock _block;
    private readonly byte[] _next; // of each set: the frame to overwrite
    private readonly int _words;

    /// <summary>Reserves frames.</summary>
    /// <param name="chunks">The number of chunks, rounded down to a multiple of eight; at least eight.</param>
    /// <param name="capacity">The words of a chunk.</param>
    public ChunkStage(long chunks, int capacity)
    {
        _words = capacity;
        _next = new byte[Math.Max(chunks / Ways, 1)];
        _block = new NativeBlock((long)_next.Length * Ways * BytesFor(capacity));
    }

    /// <summary>The bytes of a frame.</summary>
    public static long BytesFor(int capacity) => sizeof(ulong) * (WordsAt + (long)capacity);

    /// <summary>Whether there is a copy of the chunk at an address; it may be displaced at any time.</summary>
    public bool Has(long address)
    {
        ulong* frame = FirstFrame(address);
        for (int way = 0; way < Ways; way++, frame += WordsAt + _words)
            if (Volatile.Read(ref frame[AddressAt]) == (ulong)address) return true;
        return false;
    }

    /// <summary>Copies the chunk at an address.</summary>
    /// <returns>False: it is not here.</returns>
    public bool TryCopy(long address, ulong* to)
    {
        ulong* frame = FirstFrame(address);
        for (int way = 0; way < Ways; way++, frame += WordsAt + _words)
        {
            ulong sequence = Volatile.Read(ref frame[SequenceAt]);
            if (Volatile.Read(ref frame[AddressAt]) != (ulong)address) continue;
            for (int i = 0; i < _words; i++)
            {
                TProbe.Point(ProbePoint.ChunkStage);
                to[i] = Volatile.Read(ref frame[WordsAt + i]);
            }

            if ((sequence & 1) == 0 && Volatile.Read(ref frame[SequenceAt]) == sequence) return true;
        }

        return false;
    }

    /// <summary>
    /// Adds a copy of the chunk at an address, unless there is one. Where other threads are writing all frames of the
    /// set, there is none afterwards.
    /// </summary>
    public void Add(long address, ulong* words)
    {
        if (Has(address)) return;
        for (int i = 0; i < Ways; i++)
        {
            ref byte next = ref _next[SetOf(address)];
            int way = next; // two threads may read the same one
            ulong* frame = FirstFrame(address) + (way * (WordsAt + _words));
            ulong sequence = Volatile.Read(ref frame[SequenceAt]);
            TProbe.Point(ProbePoint.ChunkStage);
            next = (byte)((way + 1) % Ways);
            bool isTaken = (sequence & 1) == 0 && (TProbe.Has(SeededBug.StageWrittenWithoutClaim)
                || Interlocked.CompareExchange(ref frame[SequenceAt], sequence + 1, sequence) == sequence);
            if (!isTaken) continue;
            Write(frame, sequence + 1, address, words);
            return;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _block.Dispose();

    private void Write(ulong* frame, ulong sequence, long address, ulong* words)
    {
        Volatile.Write(ref frame[SequenceAt], sequence);
        Volatile.Write(ref frame[AddressAt], 0);
        for (int i = 0; i < _words; i++)
        {
            TProbe.Point(ProbePoint.ChunkStage);
            Volatile.Write(ref frame[WordsAt + i], words[i]);
        }

        Volatile.Write(ref frame[AddressAt], (ulong)address);
        Volatile.Write(ref frame[SequenceAt], sequence + 1);
    }

    // Addresses of chunks are multiples of 8.
    private int SetOf(long address) =>
        (int)(((KeyHash.Spread((ulong)address) >> 32) * (ulong)_next.Length) >> 32);

    private ulong* FirstFrame(long address) =>
        (ulong*)_block.Pointer + ((long)SetOf(address) * Ways * (WordsAt + _words));
}
