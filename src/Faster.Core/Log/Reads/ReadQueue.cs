using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Memory;

namespace Faster.Log.Reads;

/// <summary>
/// A queue of record reads. It gathers reads, makes one request for those that need the same or adjacent blocks, and
/// notifies each read when its blocks are back. Where the device offers queues, a session has one of its own, polls its
/// own completions and needs no other thread; all others share one queue, whose completions go to the I/O thread. For
/// other logs of its store, a session's queue has companions (<see cref="Beside"/>), which share the device's queue.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Every read is notified exactly once.</item>
/// <item>A read of blocks in flight joins their request; they are not read again.</item>
/// <item>Gathered reads, also of companions, are submitted at the latest when the queue's owner polls or waits.</item>
/// <item>Reads are gathered only while others are in flight, at most a quarter as many: a single read never waits for
/// further ones.</item>
/// </list>
/// <para>Thread-safe: a short lock guards what is gathered; another one serializes polling, and reads are notified
/// under it. The first may be taken under the second. One thread at a time waits.</para>
/// </remarks>
internal sealed unsafe class ReadQueue
{
    private const int MaxGathered = 16, MaxWanted = 16, BlocksOfChunk = 8;
    private static readonly TimeSpan StallTimeout = TimeSpan.FromMilliseconds(100);

    private readonly IOQueue? _queue;
    private readonly ReadQueue _first; // itself, unless it is a companion
    private readonly Lock _lock = new();
    private readonly object _taking = new();
    private readonly Dictionary<long, BlockRead> _byChunk = []; // the last read in each 4 KiB of the device
    private readonly Queue<BlockRead> _gathered = new();
    private readonly Stack<BlockRead> _spare = new();
    private readonly IORequest[] _completed = new IORequest[64];
    private int _underWay;
    private int _inside; // with companions
    private int _waits;
    private ReadQueue[] _companions = [];

    /// <summary>Creates a queue.</summary>
    /// <param name="reader">What all read queues of the log share.</param>
    /// <param name="queue">The device's queue for it; null for the device's common queue.</param>
    public ReadQueue(LogReader reader, IOQueue? queue)
    {
        Reader = reader;
        _queue = queue;
        _first = this;
    }

    private ReadQueue(LogReader reader, IOQueue queue, ReadQueue first)
        : this(reader, queue) => _first = first;

    /// <summary>What all read queues of the log share.</summary>
    public LogReader Reader { get; }

    /// <summary>
    /// Whether a read of this queue or of a companion is in flight, is gathered, or waits for a buffer.
    /// </summary>
    public bool IsBusy => Volatile.Read(ref _first._inside) != 0;

    /// <summary>The queue for reads of another log whose completions come to this queue's owner, too.</summary>
    /// <param name="reader">What all read queues of that log share.</param>
    /// <returns>Null where the log's device can't share the queue.</returns>
    public ReadQueue? Beside(LogReader reader)
    {
        if (reader == Reader) return this;
        foreach (ReadQueue companion in Volatile.Read(ref _companions))
            if (companion.Reader == reader) return companion;
        return Join(reader);
    }

    /// <summary>Reads the first bytes of a record, or all of it when its size is known.</summary>
    public void Read(RecordRead read, long address) => Read(read, address, Reader.Guess);

    /// <summary>Reads a record up to a length or to its page's end, and the rest of its last block.</summary>
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

    /// <summary>Repeats a read that had shared its blocks with others, alone.</summary>
    public void ReadAlone(RecordRead read) => Lend(read, alone: true);

    /// <summary>Submits or gathers a read that has a buffer.</summary>
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
                if (_gathered.Count > Math.Min(_underWay / 4, MaxGathered)) BeginUnderLock();
                return;
            }
        }

        Reader.Storage.CountRead(blocks.Length);
        IORequest request = blocks;
        try
        {
            Reader.Storage.Device.Submit(new ReadOnlySpan<IORequest>(ref request));
        }
        catch (Exception e)
        {
            blocks.Error = Refused(e);
            blocks.OnCompleted();
        }
    }

    /// <summary>
    /// Submits what is gathered and notifies the reads that are back. Only for a queue of a session's own.
    /// </summary>
    /// <returns>Whether any read was back.</returns>
    public bool Poll()
    {
        if (_first != this) return _first.Poll();
        if (!IsBusy || !Monitor.TryEnter(_taking)) return false;
        try
        {
            bool any = false;
            for (;;)
            {
                BeginAll();
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

    /// <summary>
    /// Waits until reads may be back, another thread wakes it, or a timeout ends. Only for a queue of a session's own.
    /// </summary>
    /// <param name="isOver">
    /// Whether there is nothing to wait for; evaluated when no wake can be missed any more.
    /// </param>
    public void Wait(Func<bool> isOver)
    {
        int underWay = BeginAll();
        Volatile.Write(ref _waits, 1);
        Interlocked.MemoryBarrier();
        // A wake-up costs as much as a read: with many in flight, one wake-up should cover several.
        if (!isOver()) _queue!.Wait(StallTimeout, Math.Clamp(underWay / 8, 1, MaxWanted));
        Volatile.Write(ref _waits, 0);
    }

    /// <summary>Ends a wait, after something that its condition reads has changed.</summary>
    public void Wake()
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _waits) != 0) _queue?.Wake();
    }

    /// <summary>
    /// Closes the device's queue. Only for a queue of a session's own; a companion has nothing to close.
    /// </summary>
    public void Close()
    {
        if (_first == this) Reader.Storage.Device.CloseQueue(_queue!);
    }

    /// <summary>Removes a request whose blocks are back: no read can join it any more.</summary>
    public void Detach(BlockRead blocks)
    {
        lock (_lock)
        {
            if (_queue is not null) _underWay--;
            if (_byChunk.TryGetValue(blocks.Chunk, out BlockRead? last) && last == blocks)
                _byChunk.Remove(blocks.Chunk);
        }
    }

    /// <summary>Reports that all waiters of a request have been notified.</summary>
    public void OnTold() => Interlocked.Decrement(ref _first._inside);

    /// <summary>Checks the counts of requests. Called when nothing waits for the one that has just ended.</summary>
    public void CheckCounts()
    {
        (int inside, int underWay) = (Volatile.Read(ref _first._inside), Volatile.Read(ref _underWay));
        Invariant.Check(
            inside >= 0 && underWay >= 0, $"each request ends once; {inside} are inside, {underWay} in flight");
    }

    /// <summary>Takes back a request whose bytes are not needed any more, for reuse.</summary>
    public void Recycle(BlockRead blocks, AlignedBuffer lent)
    {
        lock (_lock) _spare.Push(blocks);
        Reader.Return(lent);
    }

    // An exception here, for example from a user's device that violates its contract, goes to the read: a read that is
    // not notified would be waited for indefinitely.
    private void Lend(RecordRead read, bool alone)
    {
        AlignedBuffer lent;
        Interlocked.Increment(ref _first._inside);
        try
        {
            if (!Reader.TryRent(read, alone, out lent)) return;
        }
        catch (Exception e)
        {
            Interlocked.Decrement(ref _first._inside);
            read.OnRead(null, Refused(e));
            return;
        }

        Start(read, lent, alone);
    }

    private StorageException Refused(Exception cause) => new(
        $"The device {Reader.Storage.Device.Name} refused a read: {cause.Message} Nothing has changed; retry the read.",
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

    private ReadQueue? Join(LogReader reader)
    {
        lock (_lock)
        {
            foreach (ReadQueue companion in _companions)
                if (companion.Reader == reader) return companion;
            if (_queue is null || reader.Storage.Device.TryJoinQueue(_queue) is not { } queue) return null;
            var joined = new ReadQueue(reader, queue, this);
            reader.Add(joined);
            Volatile.Write(ref _companions, [.. _companions, joined]);
            return joined;
        }
    }

    // Returns the number of reads that are under way.
    private int BeginAll()
    {
        int underWay = Begin();
        foreach (ReadQueue companion in Volatile.Read(ref _companions)) underWay += companion.Begin();
        return underWay;
    }

    private int Begin()
    {
        lock (_lock)
        {
            BeginUnderLock();
            return _underWay;
        }
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
