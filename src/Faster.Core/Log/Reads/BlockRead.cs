using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Memory;

namespace Faster.Log.Reads;

/// <summary>One read of adjacent blocks, and the reads of records that wait for it.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The blocks of every waiter lie in the extent, and the extent in one page and in the buffer.</item>
/// <item>The extent does not change once it is submitted.</item>
/// <item>Each waiter is notified once, or is read again alone.</item>
/// <item>The object is reused when all waiters have been notified and none retains the bytes.</item>
/// </list>
/// <para>Thread-safety: the queue's lock guards the extent and the waiters until the blocks are back. From then on the
/// thread that has polled the request owns it.</para>
/// </remarks>
internal sealed unsafe class BlockRead(ReadQueue queue) : LogRequest
{
    private RecordRead? _first;
    private RecordRead? _last;
    private int _holders;

    /// <summary>The buffer rented from the reader.</summary>
    public AlignedBuffer Lent { get; private set; }

    /// <summary>The first block that a waiter needs: its index on the device.</summary>
    public long FirstBlock { get; private set; }

    /// <summary>The index after the last block that a waiter needs.</summary>
    public long EndBlock { get; private set; }

    /// <summary>The page that the blocks belong to.</summary>
    public long Page { get; private set; }

    /// <summary>
    /// The number of the device range under which the queue finds this read while others can join it.
    /// </summary>
    public long Chunk { get; private set; }

    /// <summary>Whether it has been submitted to the device: its blocks no longer change.</summary>
    public bool IsBegun { get; set; }

    /// <summary>Starts with the blocks of one read.</summary>
    public void Start(RecordRead read, long page, long chunk, AlignedBuffer lent)
    {
        Invariant.Check(
            _first is null && lent.Length >= read.Extent.Length,
            $"a read starts unused, in a buffer that holds it: {read.Extent.Length} of {lent.Length} bytes");
        Kind = IOKind.Read;
        Error = null;
        Lent = lent;
        Buffer = lent.Pointer;
        Page = page;
        Chunk = chunk;
        IsBegun = false;
        Offset = read.Extent.Offset;
        Length = read.Extent.Length;
        FirstBlock = read.Extent.FirstBlock;
        EndBlock = FirstBlock + read.Extent.BlockCount;
        _first = _last = read;
        _holders = 1;
    }

    /// <summary>
    /// Retains the bytes beyond the call of <see cref="RecordRead.OnRead"/>; called within that call.
    /// </summary>
    public void Keep() => Interlocked.Increment(ref _holders);

    /// <summary>Ends one <see cref="Keep"/>.</summary>
    public void Release()
    {
        int left = Interlocked.Decrement(ref _holders);
        Invariant.Check(left >= 0, $"the bytes are released as often as they were retained; {left} holders");
        if (left == 0) GiveBack();
    }

    /// <summary>
    /// Adds another read if its blocks are covered, or if the extent can still be enlarged to cover them.
    /// </summary>
    public bool TryJoin(RecordRead read, long page)
    {
        BlockExtent extent = read.Extent;
        long first = extent.FirstBlock, end = first + extent.BlockCount;
        if (page != Page) return false;
        if (first < FirstBlock || end > EndBlock)
        {
            long from = Math.Min(Offset, extent.Offset);
            long to = Math.Max(Offset + Length, extent.Offset + extent.Length);
            bool touches = first <= EndBlock && end >= FirstBlock;
            if (IsBegun || !touches || to - from > Lent.Length) return false;
            Offset = from;
            Length = (int)(to - from);
            FirstBlock = Math.Min(FirstBlock, first);
            EndBlock = Math.Max(EndBlock, end);
        }

        Invariant.Check(
            first >= FirstBlock && end <= EndBlock && FirstBlock * BlockFormat.BlockSize >= Offset
                && EndBlock * BlockFormat.BlockSize <= Offset + Length && Length <= Lent.Length,
            $"blocks {first} to {end} lie in the extent of {FirstBlock} to {EndBlock}: {Length} bytes at {Offset}");

        _last!.Next = read;
        _last = read;
        return true;
    }

    /// <inheritdoc/>
    public override void OnCompleted()
    {
        queue.Detach(this);
        Exception? error = Error ?? Decode();
        RecordRead read = _first!;
        bool isShared = read != _last;
        _first = _last = null;
        while (read is not null)
        {
            RecordRead? next = read.Next;
            read.Next = null;
            read.Blocks = this;
            // A read fails only for its own blocks: one that shared the transfer with others retries alone.
            if (error is not null && isShared) queue.ReadAlone(read);
            else if (error is not null) read.OnRead(null, error);
            else read.OnRead(RecordOf(read), null);
            read = next!;
        }

        queue.OnTold();
        // No other thread can retain the bytes from here on: a count of one stays one.
        if (Volatile.Read(ref _holders) == 1) GiveBack();
        else Release();
        queue.CheckCounts();
    }

    private void GiveBack()
    {
        AlignedBuffer lent = Lent;
        Lent = default;
        Buffer = null;
        queue.Recycle(this, lent);
    }

    private byte* RecordOf(RecordRead read) =>
        Buffer + ((read.Extent.FirstBlock - FirstBlock) * BlockFormat.Payload) + read.Extent.Skip;

    private Exception? Decode()
    {
        try
        {
            byte* blocks = Buffer + ((FirstBlock * BlockFormat.BlockSize) - Offset);
            queue.Reader.Storage.Decode(FirstBlock, (int)(EndBlock - FirstBlock), blocks, Buffer);
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }
}
