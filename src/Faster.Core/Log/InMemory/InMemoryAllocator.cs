using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Log.InMemory;

/// <summary>
/// Allocates records in memory only (paper 000 §4): an address is a pointer, every record is updated in place, and a
/// deleted record is spliced out and its memory reused once the epoch is safe.
/// </summary>
/// <remarks>
/// Memory, and what must hold of its blocks: <see cref="RecordArena"/>. Thread-safe.
/// </remarks>
internal sealed unsafe class InMemoryAllocator : RecordAllocator
{
    private readonly RecordArena _arena;
    private readonly HashSeed _seed;

    /// <summary>Creates an empty arena.</summary>
    /// <param name="epochs">The epochs of the sessions.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="seed">The key of the hash.</param>
    /// <param name="reserve">The maximum number of bytes that records may ever take.</param>
    /// <param name="limit">The maximum number of bytes that they may take now.</param>
    /// <param name="batch">
    /// The number of free blocks that a session passes on at once. Each batch in limbo costs a bump of the epoch, which
    /// is a barrier for the whole process.
    /// </param>
    public InMemoryAllocator(
        EpochTable epochs, RecordSchema schema, HashSeed seed, long reserve, long limit, int batch = 128)
    {
        Layout = new RecordLayout(schema);
        _seed = seed;
        _arena = new RecordArena(epochs, reserve, limit, batch, hasReserve: false, Full);
        Markers.Base = null;
        Markers.Mask = (long)RecordHeader.AddressMask;
        // 0 ends a chain; everything else is in memory and mutable.
        Markers.Begin = Markers.Head = Markers.SafeReadOnly = Markers.ReadOnly = 1;
    }

    /// <inheritdoc/>
    public override long TailAddress => _arena.BytesTaken;

    /// <inheritdoc/>
    public override long BytesInMemory => _arena.BytesTaken;

    /// <inheritdoc/>
    public override void Populate(long bytes) => _arena.Populate(bytes);

    /// <inheritdoc/>
    public override int LargestRecord => SizeClasses.Most;

    /// <inheritdoc/>
    public override RecordLayout Layout { get; }

    /// <inheritdoc/>
    public override bool Splices => true;

    /// <inheritdoc/>
    public override bool IsWithinMemory => _arena.BytesTaken <= _arena.Limit;

    /// <inheritdoc/>
    public override bool FillsMemory => _arena.BytesTaken >= _arena.Limit;

    /// <inheritdoc/>
    public override bool TryAllocate(FreeLists? lists, int size, out long address)
    {
        ArgumentNullException.ThrowIfNull(lists);
        if (size > LargestRecord) throw TooLarge(size, LargestRecord);
        return _arena.TryAllocate(lists, size, out address);
    }

    /// <inheritdoc/>
    public override void Free(FreeLists? lists, long address, int size, bool everLinked)
    {
        ArgumentNullException.ThrowIfNull(lists);
        _arena.Free(lists, address, size, everLinked);
    }

    /// <summary>Takes over the free memory of a session that has ended, for the others.</summary>
    public void Adopt(FreeLists lists) => _arena.Adopt(lists);

    /// <inheritdoc cref="RecordArena.Walk"/>
    public void Walk(Action<long, long> visit) => _arena.Walk(visit);

    /// <inheritdoc/>
    public override void WaitForSpace() => _arena.WaitForSpace();

    /// <inheritdoc/>
    public override void SetMemory(long bytes) => _arena.SetLimit(bytes);

    /// <inheritdoc/>
    public override void Split(long head, in SplitRule rule, out long left, out long right)
    {
        // Unlike the log's, these chains are separated completely: a record that two entries led to could not be
        // spliced out. The splitter holds the chunk exclusively, so plain writes are enough.
        left = right = 0;
        byte* leftEnd = null, rightEnd = null;
        for (long address = head; address != 0;)
        {
            byte* record = (byte*)address;
            ulong header = RecordHeader.Read(record);
            bool isRight = rule.IsRight(Layout.Hash(record, _seed));
            if (!(isRight && Probe.On && Probe.Has(SeededBug.SplitDropsSibling)))
                Append(ref isRight ? ref right : ref left, ref isRight ? ref rightEnd : ref leftEnd, address);
            address = RecordHeader.Previous(header);
        }

        if (leftEnd != null) End(leftEnd);
        if (rightEnd != null) End(rightEnd);
    }

    /// <inheritdoc/>
    public override bool TryJoin(long left, long right, ulong hash, long largerBucketCount, out long head)
    {
        head = left == 0 ? right : left;
        if (left == 0 || right == 0) return true;

        // No other session is in either chain, as during a split.
        byte* end = (byte*)left;
        for (long next; (next = RecordHeader.Previous(RecordHeader.Read(end))) != 0;) end = (byte*)next;
        RecordHeader.Write(end, RecordHeader.WithPrevious(RecordHeader.Read(end), right));
        return true;
    }

    /// <inheritdoc/>
    public override void Dispose() => _arena.Dispose();

    private static void Append(ref long head, ref byte* end, long address)
    {
        if (head == 0) head = address;
        else RecordHeader.Write(end, RecordHeader.WithPrevious(RecordHeader.Read(end), address));
        end = (byte*)address;
    }

    private static void End(byte* record) =>
        RecordHeader.Write(record, RecordHeader.WithPrevious(RecordHeader.Read(record), 0));

    private static LimitExceededException Full(ByteSize limit) => new(
        $"The records have used up the store's memory of {limit}. "
        + "Raise StoreOptions.MemoryBudget, delete keys, or choose the hybrid log, which spills to disk.");
}
