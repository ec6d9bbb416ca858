using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Log.Records;
using Faster.Memory;

namespace Faster.Log.Reads;

/// <summary>
/// What all reads of single records from the device share: the buffers, which bound the number of reads in flight, and
/// the read queues.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Reads that wait for a buffer get one in the order in which they came; none overtakes them.</item>
/// <item>Every read that waits starts when enough buffers have been returned: no return misses it.</item>
/// <item>The buffers suffice for the largest record, whatever their limit.</item>
/// <item>A rented queue has one owner until it is returned, with nothing in flight.</item>
/// </list>
/// <para>Thread-safe: a short lock.</para>
/// </remarks>
internal sealed unsafe class LogReader : IDisposable
{
    /// <summary>The largest buffer, in bytes, that counts as one for a small record.</summary>
    public const int SmallBuffer = 2 * AlignedBufferPool.Alignment;

    /// <summary>The bytes of buffers with which the disk is kept busy, if records are small.</summary>
    public const long BusyBytes = ManyReads * LeastBuffer;

    private const long ManyReads = 64;
    private const int LeastBuffer = 1024; // most reads are of one sector or two

    private const int MinGuess = 64, MaxGuess = 2048;

    private readonly LogStorage _storage;
    private readonly AlignedBufferPool _buffers;
    private readonly Lock _lock = new();
    private readonly Queue<(RecordRead Read, bool Alone)> _starved = new(); // reads that wait for a buffer
    private readonly Stack<ReadQueue> _idle = new();
    private readonly List<ReadQueue> _own = [];
    private volatile int _starving;
    private int _guess = 256;
    private int _expirySize; // the expiry's bytes, once a record of fixed size had one

    /// <summary>
    /// Creates a reader whose buffers take at most a number of bytes, or as many as the largest record needs.
    /// </summary>
    /// <param name="storage">The log's place on the device.</param>
    /// <param name="layout">The layout of records.</param>
    /// <param name="bufferBytes">The maximum number of bytes of buffers that are returned immediately.</param>
    /// <param name="onFault">Called with errors that have no other recipient.</param>
    /// <param name="keptBytes">
    /// The maximum number of bytes of further buffers, which are retained as long as an operation is pending.
    /// </param>
    public LogReader(
        LogStorage storage, RecordLayout layout, long bufferBytes, Action<Exception> onFault, long keptBytes = 0)
    {
        _storage = storage;
        Layout = layout;
        OnFault = onFault;
        long least = MinBufferBytes(storage.Geometry), bytes = Math.Max(bufferBytes, least);
        _buffers = new AlignedBufferPool(new ByteSize(bytes + keptBytes), UnitFor(bytes, storage.Device.SectorSize));
        Shared = new ReadQueue(this, null);
    }

    /// <summary>The layout of records.</summary>
    public RecordLayout Layout { get; }

    /// <summary>The log's place on the device.</summary>
    public LogStorage Storage => _storage;

    /// <summary>The read queue that every thread may use; its completions come by the device's own queue.</summary>
    public ReadQueue Shared { get; }

    /// <summary>Called with errors that have no other recipient.</summary>
    public Action<Exception> OnFault { get; }

    /// <summary>
    /// The number of bytes to read of a record whose size is unknown: about the size of the records read recently.
    /// </summary>
    public int Guess => Layout.FixedRecordSize != 0
        ? Layout.FixedRecordSize + Volatile.Read(ref _expirySize)
        : Volatile.Read(ref _guess);

    /// <summary>The length in bytes of the buffer for reading a record; 0 stands for a small one.</summary>
    public int BufferFor(long address, int length)
    {
        if (length <= MaxGuess) return 0;
        BlockGeometry geometry = _storage.Geometry;
        int left = geometry.PageBytes - (int)(address & (geometry.PageBytes - 1));
        BlockExtent extent = geometry.Map(address, Math.Min(length, left), _storage.Device.SectorSize);
        int buffer = AlignedBufferPool.LengthFor(extent.Length);
        return buffer <= SmallBuffer ? 0 : buffer;
    }

    /// <summary>
    /// Adjusts <see cref="Guess"/> by a record's size. Concurrent calls may overwrite each other: it is only a guess.
    /// </summary>
    public void Learn(long size)
    {
        if (Layout.FixedRecordSize != 0)
        {
            if (size > Layout.FixedRecordSize) _expirySize = RecordExpiry.Size;
            return;
        }

        int guess = _guess;
        _guess = Math.Clamp(guess + (int)((Math.Min(size, MaxGuess) - guess) / 8), MinGuess, MaxGuess);
    }

    /// <summary>
    /// Called by the reading thread when a read has to wait for a buffer, so that the I/O thread polls the queues.
    /// </summary>
    public Action? Starved { get; set; }

    /// <summary>Whether reads wait for buffers.</summary>
    public bool IsStarving => _starving != 0;

    /// <summary>
    /// Polls the rented queues, except those that their owner is polling. Their completed reads may hold buffers that
    /// other reads wait for, and an owner that awaits something else does not poll.
    /// </summary>
    /// <returns>Whether anything had completed.</returns>
    public bool PollOwn()
    {
        ReadQueue[] queues;
        lock (_lock) queues = [.. _own];
        bool any = false;
        foreach (ReadQueue queue in queues) any |= queue.Poll();
        return any;
    }

    /// <summary>Rents a read queue for the caller alone; null when the device offers none.</summary>
    public ReadQueue? TryRentQueue()
    {
        lock (_lock)
        {
            if (_idle.TryPop(out ReadQueue? idle)) return idle;
        }

        if (_storage.Device.TryOpenQueue() is not { } queue) return null;
        var own = new ReadQueue(this, queue);
        Add(own);
        return own;
    }

    /// <summary>Adds a queue that the I/O thread polls while reads wait for buffers.</summary>
    public void Add(ReadQueue own)
    {
        lock (_lock) _own.Add(own);
    }

    /// <summary>Takes back a read queue in which nothing is in flight.</summary>
    public void ReturnQueue(ReadQueue queue)
    {
        Invariant.Check(!queue.IsBusy, $"a queue is returned with nothing in flight");
        lock (_lock) _idle.Push(queue);
    }

    /// <summary>
    /// Closes the rented queues after their requests in flight have completed; before the device is closed.
    /// </summary>
    public void CloseQueues()
    {
        ReadQueue[] queues;
        lock (_lock)
        {
            queues = [.. _own];
            _own.Clear();
            _idle.Clear();
        }

        foreach (ReadQueue queue in queues) queue.Close();
    }

    /// <summary>Rents a buffer. If there is none, the read is queued and starts again when there is one.</summary>
    public bool TryRent(RecordRead read, bool alone, out AlignedBuffer buffer)
    {
        if (_starving == 0 && _buffers.TryRent(read.Extent.Length, out buffer)) return true;
        lock (_lock)
        {
            // The flag is set before the second attempt: a thread that returns a buffer later sees it, and a buffer
            // returned earlier is found here.
            _starving = _starved.Count + 1;
            Interlocked.MemoryBarrier();
            buffer = default;
            if (_starved.Count != 0 || !_buffers.TryRent(read.Extent.Length, out buffer))
            {
                _starved.Enqueue((read, alone));
            }
            else
            {
                _starving = _starved.Count;
                return true;
            }
        }

        Starved?.Invoke();
        return false;
    }

    /// <summary>Takes a buffer back and starts the reads that waited for it.</summary>
    public void Return(AlignedBuffer buffer)
    {
        _buffers.Return(buffer);
        Interlocked.MemoryBarrier();
        while (_starving != 0)
        {
            (RecordRead Read, bool Alone) next;
            AlignedBuffer lent;
            lock (_lock)
            {
                if (!_starved.TryPeek(out next) || !_buffers.TryRent(next.Read.Extent.Length, out lent)) return;
                _starved.Dequeue();
                _starving = _starved.Count;
            }

            next.Read.Reads.Start(next.Read, lent, next.Alone);
        }
    }

    /// <summary>The minimum number of bytes of buffers with which every record can be read.</summary>
    public static long MinBufferBytes(BlockGeometry geometry) =>
        (long)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)geometry.PageStride);

    /// <inheritdoc/>
    public void Dispose() => _buffers.Dispose();

    // Buffers that more reads may share where there are enough of them, else smaller ones: a read in flight has a whole
    // buffer, however small it is.
    private static int UnitFor(long bytes, int sectorSize)
    {
        int unit = AlignedBufferPool.Alignment;
        while (unit > Math.Max(LeastBuffer, sectorSize) && bytes / unit < ManyReads) unit /= 2;
        return unit;
    }
}
