using Faster.Memory;
using Faster.Probes;

namespace Faster.HashChunks;

/// <summary>
/// Packed copies of chunks on disk (<see cref="PackedChunk"/>): of all of them where the memory allows, otherwise of
/// those that were written or read last.
/// </summary>
/// <remarks>
/// <para>A chunk on disk never changes, so a copy is as good as its record for as long as the directory leads to it:
/// a copy is used without being written to the log first. Each chunk may lie in one set, which is a queue of copies of
/// any length: a new one goes to the end, in place of an older one of its chunk if there is one, and the first ones
/// leave where there is no space.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A set's sequence number is odd while the set is written, and larger than before afterwards. So a reader that
/// finds the same even number before and after it has copied a chunk has copied it whole.</item>
/// <item>A set is written by the thread that has made its number odd by compare-and-swap, and by no other.</item>
/// <item>A set has at most one copy of a chunk, and never replaces it by an older one.</item>
/// <item>The memory of sets is not freed before the index is.</item>
/// </list>
/// <para>Thread-safe, and no thread waits: while a thread writes a set, others find no copies in it and add none, which
/// costs a read later.</para>
/// </remarks>
internal sealed unsafe class ChunkStage : IDisposable
{
    private const int Ways = 16, SequenceAt = 0, NamesAt = 1, LengthsAt = NamesAt + Ways; // in words of a set
    private const int LengthsOfWord = 4, DataAt = LengthsAt + (Ways / LengthsOfWord);
    private const int RankShift = 48; // of a chunk's number among those of its set, above an address
    private const long UsualLogBytes = 8L << 30, MaxRanks = 1L << (64 - RankShift); // chunks of a set

    private readonly NativeBlock _block;
    private readonly long _sets;
    private readonly int _capacity; // slots of a chunk
    private readonly int _most, _words, _space; // words: of a chunk at most, of a set, and of a set for chunks

    /// <summary>Reserves sets.</summary>
    /// <param name="chunks">The number of chunks of the index.</param>
    /// <param name="bytes">The memory, of which little is left over; a few sets at least.</param>
    /// <param name="capacity">The slots of a chunk.</param>
    /// <param name="all">Whether the memory is for all chunks.</param>
    public ChunkStage(long chunks, long bytes, int capacity, bool all)
    {
        (_capacity, _most) = (capacity, PackedChunk.MaxWords(capacity));
        long most = SetsOf(chunks), least = (chunks + MaxRanks - 1) / MaxRanks;
        _sets = all ? most : Math.Clamp(bytes / sizeof(ulong) / WordsOfSet(capacity, UsualLogBytes), least, most);
        _words = (int)Math.Clamp(bytes / _sets / sizeof(ulong), DataAt + _most, DataAt + (Ways * _most));
        _space = _words - DataAt;
        _block = new NativeBlock(_sets * _words * sizeof(ulong));
    }

    /// <summary>The memory for copies of a number of chunks that are filled as usual.</summary>
    /// <param name="chunks">The number of chunks.</param>
    /// <param name="capacity">The slots of a chunk.</param>
    /// <param name="logBytes">The size of the log that entries lead into; 0: 8 GiB.</param>
    public static long BytesFor(long chunks, int capacity, long logBytes) => SetsOf(chunks)
        * WordsOfSet(capacity, logBytes != 0 ? logBytes : UsualLogBytes) * sizeof(ulong);

    /// <summary>Whether there is a copy of the record of a chunk at an address; it may leave at any time.</summary>
    public bool Has(long chunk, long address)
    {
        ulong* set = SetOf(chunk);
        ulong name = NameOf(chunk, address);
        for (int way = 0; way < Ways; way++)
            if (Volatile.Read(ref set[NamesAt + way]) == name) return true;
        return false;
    }

    /// <summary>Copies the record of a chunk at an address.</summary>
    /// <returns>False: it is not here.</returns>
    public bool TryCopy(long chunk, long address, ulong* to)
    {
        ulong* set = SetOf(chunk), packed = stackalloc ulong[_most];
        ulong name = NameOf(chunk, address), sequence = Volatile.Read(ref set[SequenceAt]);
        int at = 0, way = 0;
        for (; Volatile.Read(ref set[NamesAt + way]) != name; way++)
        {
            if (way == Ways - 1) return false;
            at += LengthOf(set, way);
        }

        int length = LengthOf(set, way);
        if (length > _most || at + length > _space) return false; // the set is being written
        for (int i = 0; i < length; i++)
        {
            Probe.Point(ProbePoint.ChunkStage);
            packed[i] = Volatile.Read(ref set[DataAt + at + i]);
        }

        if ((sequence & 1) != 0 || Volatile.Read(ref set[SequenceAt]) != sequence) return false;
        PackedChunk.Unpack(packed, to, _capacity);
        return true;
    }

    /// <summary>
    /// Adds a copy of the record of a chunk at an address, unless there is one, or a newer one. While another thread
    /// writes the set, there is none afterwards.
    /// </summary>
    public void Add(long chunk, long address, ulong* words)
    {
        ulong* set = SetOf(chunk), packed = stackalloc ulong[_most];
        int length = PackedChunk.Pack(words, _capacity, packed);
        ulong name = NameOf(chunk, address), sequence = Volatile.Read(ref set[SequenceAt]);
        Probe.Point(ProbePoint.ChunkStage);
        bool isTaken = (sequence & 1) == 0 && ((Probe.On && Probe.Has(SeededBug.StageWrittenWithoutClaim))
            || Interlocked.CompareExchange(ref set[SequenceAt], sequence + 1, sequence) == sequence);
        if (!isTaken) return;
        Volatile.Write(ref set[SequenceAt], sequence + 1);
        if (TryMakeSpace(set, name, length, out int way, out int at)) Write(set, way, at, name, packed, length);
        Volatile.Write(ref set[SequenceAt], sequence + 2);
    }

    /// <inheritdoc/>
    public void Dispose() => _block.Dispose();

    private static long SetsOf(long chunks) => (chunks + Ways - 1) / Ways;

    private static int WordsOfSet(int capacity, long logBytes) => DataAt + (Ways * PackedChunk.WordsFor(
        (int)(capacity * ChunkIndexPlan.Fill), PackedChunk.AddressBitsOf(logBytes)));

    private static int LengthOf(ulong* set, int way) =>
        (ushort)(Volatile.Read(ref set[LengthsAt + (way / LengthsOfWord)]) >> (way % LengthsOfWord * 16));

    private ulong* SetOf(long chunk) => (ulong*)_block.Pointer + (chunk % _sets * _words);

    private ulong NameOf(long chunk, long address) => ((ulong)(chunk / _sets) << RankShift) | (ulong)address;

    // Where the next copy goes: the number of those that stay, and their words. False: there is the same copy, or a
    // newer one of the chunk.
    private bool TryMakeSpace(ulong* set, ulong name, int length, out int count, out int used)
    {
        int older = -1;
        (count, used) = (0, 0);
        for (; count < Ways && set[NamesAt + count] is var other and not 0; count++)
        {
            used += LengthOf(set, count);
            if (other >> RankShift != name >> RankShift) continue;
            if (other >= name) return false;
            older = count;
        }

        if (older >= 0) (count, used) = (count - 1, used - Remove(set, older));
        for (; count == Ways || used + length > _space; count--) used -= Remove(set, 0);
        return true;
    }

    // Returns the words that it took.
    private int Remove(ulong* set, int way)
    {
        Span<ulong> names = new(set + NamesAt, Ways), data = new(set + DataAt, _space);
        var lengths = new Span<ushort>(set + LengthsAt, Ways);
        int at = 0, length = lengths[way];
        for (int i = 0; i < way; i++) at += lengths[i];
        names[(way + 1)..].CopyTo(names[way..]);
        lengths[(way + 1)..].CopyTo(lengths[way..]);
        data[(at + length)..].CopyTo(data[at..]);
        names[^1] = lengths[^1] = 0;
        Probe.Point(ProbePoint.ChunkStage);
        return length;
    }

    private static void Write(ulong* set, int way, int at, ulong name, ulong* packed, int length)
    {
        ((ushort*)(set + LengthsAt))[way] = (ushort)length;
        for (int i = 0; i < length; i++)
        {
            Probe.Point(ProbePoint.ChunkStage);
            Volatile.Write(ref set[DataAt + at + i], packed[i]);
        }

        Volatile.Write(ref set[NamesAt + way], name);
    }
}
