using Faster.Devices;
using Faster.Memory;

namespace Faster.Log;

/// <summary>One read of neighbouring blocks, and the reads of records that wait for them.</summary>
/// <remarks>
/// Its queue's lock guards extent and waiters until the blocks are back; from then on it belongs to whoever has polled
/// it. Reusable, once its waiters are told and none of them keeps the bytes any more.
/// </remarks>
internal sealed unsafe class BlockRead(ReadQueue queue) : LogRequest
{
    private RecordRead? _first;
    private RecordRead? _last;
    private int _holders;

    /// <summary>The buffer that the reader has lent.</summary>
    public AlignedBuffer Lent { get; private set; }

    /// <summary>The first block that somebody waits for: its index on the device.</summary>
    public long FirstBlock { get; private set; }

    /// <summary>The block behind the last that somebody waits for.</summary>
    public long EndBlock { get; private set; }

    /// <summary>The page that the blocks belong to.</summary>
    public long Page { get; private set; }

    /// <summary>The stretch of the device under which its queue finds it, while it can be joined.</summary>
    public long Chunk { get; private set; }

    /// <summary>Whether the device has it: the blocks are settled.</summary>
    public bool IsBegun { get; set; }

    /// <summary>Begins with the blocks of one read.</summary>
    public void Start(RecordRead read, long page, long chunk, AlignedBuffer lent)
    {
        Kind = IoKind.Read;
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

    /// <summary>Keeps the bytes beyond the call of <see cref="RecordRead.OnRead"/>, in which this is called.</summary>
    public void Keep() => Interlocked.Increment(ref _holders);

    /// <summary>The bytes are not needed any more: ends one <see cref="Keep"/>.</summary>
    public void LetGo()
    {
        if (Interlocked.Decrement(ref _holders) == 0) GiveBack();
    }

    /// <summary>Takes another read in, if it needs nothing else, or what it needs besides can still be added.</summary>
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
            // A read fails for its own blocks only: who shared them with others tries again by himself.
            if (error is not null && isShared) queue.ReadAlone(read);
            else if (error is not null) read.OnRead(null, error);
            else read.OnRead(RecordOf(read), null);
            read = next!;
        }

        queue.OnTold();
        // Nobody begins to keep them now: whoever is alone stays alone.
        if (Volatile.Read(ref _holders) == 1) GiveBack();
        else LetGo();
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
