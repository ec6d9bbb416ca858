using Faster.Devices;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// A row of reads of records: gathers them, makes one request of those that need the same or neighbouring blocks, and
/// tells each when it is back. A session has one of its own where the device can give one, takes its own completions,
/// and needs no other thread; all others share one, whose completions come to the I/O thread.
/// </summary>
/// <remarks>
/// Invariants: every read is told exactly once; blocks that are under way are joined, not read again; what has been
/// gathered begins at the latest when its owner polls or waits. Reads are gathered only behind others that are under
/// way, a quarter as many: a single one never waits for company.
/// <para>Thread-safe: a short lock over what is gathered, another over taking completions, under which reads are told;
/// the first may be taken under the second. One thread at a time waits.</para>
/// </remarks>
internal sealed unsafe class ReadQueue
{
    private const int MostGathered = 16, MostWanted = 16, BlocksOfChunk = 8;
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(100);

    private readonly IoQueue? _queue;
    private readonly Lock _lock = new();
    private readonly object _taking = new();
    private readonly Dictionary<long, BlockRead> _byChunk = []; // the last read in each 4 KiB of the device
    private readonly Queue<BlockRead> _gathered = new();
    private readonly Stack<BlockRead> _spare = new();
    private readonly IoRequest[] _completed = new IoRequest[64];
    private int _underWay;
    private int _inside;
    private int _waits;

    /// <summary>Makes a row.</summary>
    /// <param name="reader">What all rows share.</param>
    /// <param name="queue">The device's row for it; null for the device's common one.</param>
    public ReadQueue(LogReader reader, IoQueue? queue)
    {
        Reader = reader;
        _queue = queue;
    }

    /// <summary>What all rows share.</summary>
    public LogReader Reader { get; }

    /// <summary>Whether a read of this row is under way, is gathered, or waits for a buffer.</summary>
    public bool IsBusy => Volatile.Read(ref _inside) != 0;

    /// <summary>Reads the first bytes of a record, or all of it when its size is known.</summary>
    public void Read(RecordRead read, long address) => Read(read, address, Reader.Guess);

    /// <summary>Reads a record up to a length, or to its page's end; what else its blocks hold comes along.</summary>
    public void Read(RecordRead read, long address, int length)
    {
        BlockGeometry geometry = Reader.Storage.Geometry;
        int left = geometry.PageBytes - (int)(address & (geometry.PageBytes - 1));
        BlockExtent extent = geometry.Map(address, Math.Min(length, left), Reader.Storage.Device.SectorSize);
        read.Reads = this;
        read.Address = address;
        read.Extent = extent;
        read.Available = Math.Min((extent.BlockCount * BlockFormat.Payload) - extent.Skip, left);
        if (!TryJoin(read)) Lend(read, alone: false);
    }

    /// <summary>Reads what was read together with others once more, by itself.</summary>
    public void ReadAlone(RecordRead read) => Lend(read, alone: true);

    /// <summary>Begins or gathers a read that has got a buffer.</summary>
    public void Start(RecordRead read, AlignedBuffer lent, bool alone)
    {
        BlockRead blocks;
        lock (_lock)
        {
            if (!_spare.TryPop(out blocks!)) blocks = new BlockRead(this);
            blocks.Start(read, PageOf(read), ChunkOf(read), lent);
            if (!alone) _byChunk[blocks.Chunk] = blocks;
            if (_queue is null)
            {
                blocks.IsBegun = true;
            }
            else
            {
                _gathered.Enqueue(blocks);
                if (_gathered.Count > Math.Min(_underWay / 4, MostGathered)) BeginUnderLock();
                return;
            }
        }

        Reader.Storage.CountRead(blocks.Length);
        IoRequest request = blocks;
        try
        {
            Reader.Storage.Device.Submit(new ReadOnlySpan<IoRequest>(ref request));
        }
        catch (Exception e)
        {
            blocks.Error = Refused(e);
            blocks.OnCompleted();
        }
    }

    /// <summary>Begins what is gathered and tells the reads that are back. For a row of one's own.</summary>
    /// <returns>Whether there were any.</returns>
    public bool Poll()
    {
        if (!IsBusy || !Monitor.TryEnter(_taking)) return false;
        try
        {
            bool any = false;
            for (;;)
            {
                Begin();
                int count = _queue!.Poll(_completed);
                if (count == 0) return any;
                LogRequest.CompleteAll(_completed.AsSpan(0, count), Reader.OnFault);
                any = true;
            }
        }
        finally
        {
            Monitor.Exit(_taking);
        }
    }

    /// <summary>Waits until a read may be back, somebody wakes, or some time is over. For a row of one's own.</summary>
    /// <param name="isOver">
    /// Whether there is nothing to wait for: looked at when a wake can't be missed any more.
    /// </param>
    public void Wait(Func<bool> isOver)
    {
        Begin();
        Volatile.Write(ref _waits, 1);
        Interlocked.MemoryBarrier();
        // A wake-up costs as much as a read: with many under way several are worth it.
        if (!isOver()) _queue!.Wait(Patience, Math.Clamp(Volatile.Read(ref _underWay) / 8, 1, MostWanted));
        Volatile.Write(ref _waits, 0);
    }

    /// <summary>Ends a wait, after something that its condition looks at has changed.</summary>
    public void Wake()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _waits) != 0) _queue?.Wake();
    }

    /// <summary>Closes a row of one's own.</summary>
    public void Close() => Reader.Storage.Device.CloseQueue(_queue!);

    /// <summary>Nobody joins a read any more: its blocks are back.</summary>
    public void Detach(BlockRead blocks)
    {
        lock (_lock)
        {
            if (_queue is not null) _underWay--;
            if (_byChunk.TryGetValue(blocks.Chunk, out BlockRead? last) && last == blocks)
                _byChunk.Remove(blocks.Chunk);
        }
    }

    /// <summary>A read's waiters are told.</summary>
    public void OnTold() => Interlocked.Decrement(ref _inside);

    /// <summary>Nobody needs a read's bytes any more: it can be used again.</summary>
    public void Recycle(BlockRead blocks, AlignedBuffer lent)
    {
        lock (_lock) _spare.Push(blocks);
        Reader.Return(lent);
    }

    // What throws here, a user's device against its contract for one, is told to the read: one that is not told would
    // be waited for without end.
    private void Lend(RecordRead read, bool alone)
    {
        AlignedBuffer lent;
        Interlocked.Increment(ref _inside);
        try
        {
            if (!Reader.TryRent(read, alone, out lent)) return;
        }
        catch (Exception e)
        {
            Interlocked.Decrement(ref _inside);
            read.OnRead(null, Refused(e));
            return;
        }

        Start(read, lent, alone);
    }

    private StorageException Refused(Exception cause) => new(
        $"The device {Reader.Storage.Device.Name} refused a read: {cause.Message} Nothing is changed; read again.",
        cause)
    {
        MayRetry = true,
    };

    private bool TryJoin(RecordRead read)
    {
        lock (_lock)
        {
            return _byChunk.TryGetValue(ChunkOf(read), out BlockRead? blocks) && blocks.TryJoin(read, PageOf(read));
        }
    }

    private long PageOf(RecordRead read) => read.Address >> Reader.Storage.Geometry.PageBits;

    private static long ChunkOf(RecordRead read) => read.Extent.FirstBlock / BlocksOfChunk;

    private void Begin()
    {
        lock (_lock) BeginUnderLock();
    }

    private void BeginUnderLock()
    {
        if (_gathered.Count == 0) return;
        while (_underWay < _queue!.Depth && _gathered.TryDequeue(out BlockRead? blocks))
        {
            blocks.IsBegun = true;
            _underWay++;
            Reader.Storage.CountRead(blocks.Length);
            _queue.Add(blocks);
        }

        _queue.Flush();
    }
}
