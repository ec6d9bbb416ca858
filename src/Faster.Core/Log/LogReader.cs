using Faster.Devices;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// What all reads of single records from the device have in common: the buffers, which bound how many are under way,
/// and the rows of requests that they go through.
/// </summary>
/// <remarks>Thread-safe.</remarks>
internal sealed unsafe class LogReader : IDisposable
{
    /// <summary>The largest buffer of what counts as a small record.</summary>
    public const int SmallBuffer = 2 * AlignedBufferPool.Alignment;

    private const int LeastGuess = 64, MostGuess = 2048;

    private readonly LogStorage _storage;
    private readonly AlignedBufferPool _buffers;
    private readonly Lock _lock = new();
    private readonly Queue<(RecordRead Read, bool Alone)> _starved = new(); // of buffers
    private readonly Stack<ReadQueue> _idle = new();
    private readonly List<ReadQueue> _own = [];
    private volatile int _starving;
    private int _guess = 256;
    private int _expirySize; // of the records of fixed size that were read

    /// <summary>
    /// Makes a reader whose buffers take at most so many bytes, or as many as the largest record needs.
    /// </summary>
    /// <param name="storage">Where the log lies.</param>
    /// <param name="layout">Where key and value lie in a record.</param>
    /// <param name="bufferBytes">The most bytes of buffers that are given back at once.</param>
    /// <param name="onFault">Hears of what nobody else can be told.</param>
    /// <param name="keptBytes">The most bytes of buffers besides, which are kept as long as an operation waits.</param>
    public LogReader(
        LogStorage storage, RecordLayout layout, long bufferBytes, Action<Exception> onFault, long keptBytes = 0)
    {
        _storage = storage;
        Layout = layout;
        OnFault = onFault;
        long least = LeastBufferBytes(storage.Geometry);
        _buffers = new AlignedBufferPool(new ByteSize(Math.Max(bufferBytes, least) + keptBytes));
        Shared = new ReadQueue(this, null);
    }

    /// <summary>Where key and value lie in a record.</summary>
    public RecordLayout Layout { get; }

    /// <summary>Where records are read from.</summary>
    public LogStorage Storage => _storage;

    /// <summary>The row that everybody may use; its completions come by the device's own queue.</summary>
    public ReadQueue Shared { get; }

    /// <summary>Hears of what nobody else can be told.</summary>
    public Action<Exception> OnFault { get; }

    /// <summary>
    /// How many bytes to read of a record whose size is not known: about as many as the records read lately had.
    /// </summary>
    public int Guess => Layout.FixedRecordSize != 0
        ? Layout.FixedRecordSize + Volatile.Read(ref _expirySize)
        : Volatile.Read(ref _guess);

    /// <summary>The length of the buffer into which a record is read; 0 stands for a small one.</summary>
    public int BufferFor(long address, int length)
    {
        if (length <= MostGuess) return 0;
        BlockGeometry geometry = _storage.Geometry;
        int left = geometry.PageBytes - (int)(address & (geometry.PageBytes - 1));
        BlockExtent extent = geometry.Map(address, Math.Min(length, left), _storage.Device.SectorSize);
        int buffer = AlignedBufferPool.LengthFor(extent.Length);
        return buffer <= SmallBuffer ? 0 : buffer;
    }

    /// <summary>Learns a record's size. Two threads may overtake each other: a guess is a guess.</summary>
    public void Learn(long size)
    {
        if (Layout.FixedRecordSize != 0)
        {
            if (size > Layout.FixedRecordSize) _expirySize = RecordExpiry.Size;
            return;
        }

        int guess = _guess;
        _guess = Math.Clamp(guess + (int)((Math.Min(size, MostGuess) - guess) / 8), LeastGuess, MostGuess);
    }

    /// <summary>Called when a read has to wait for a buffer, by whoever reads: the I/O thread is to look.</summary>
    public Action? Starved { get; set; }

    /// <summary>Whether reads wait for buffers.</summary>
    public bool IsStarving => _starving != 0;

    /// <summary>
    /// Takes what has come back in everybody's own rows, unless the owner is at it: it may hold the buffers that others
    /// wait for, and an owner who awaits something else does not look.
    /// </summary>
    /// <returns>Whether anything had.</returns>
    public bool PollOwn()
    {
        ReadQueue[] queues;
        lock (_lock) queues = [.. _own];
        bool any = false;
        foreach (ReadQueue queue in queues) any |= queue.Poll();
        return any;
    }

    /// <summary>A row of one's own, or null where the device has none to give.</summary>
    public ReadQueue? TryRentQueue()
    {
        lock (_lock)
        {
            if (_idle.TryPop(out ReadQueue? idle)) return idle;
        }

        if (_storage.Device.TryOpenQueue() is not { } queue) return null;
        var own = new ReadQueue(this, queue);
        lock (_lock) _own.Add(own);
        return own;
    }

    /// <summary>Gives a row back in which nothing is under way.</summary>
    public void ReturnQueue(ReadQueue queue)
    {
        lock (_lock) _idle.Push(queue);
    }

    /// <summary>Closes the rows, when what is under way in them has come back; before the device.</summary>
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

    /// <summary>Lends a buffer; if there is none, the read is begun again when there is.</summary>
    public bool TryRent(RecordRead read, bool alone, out AlignedBuffer buffer)
    {
        if (_starving == 0 && _buffers.TryRent(read.Extent.Length, out buffer)) return true;
        lock (_lock)
        {
            // Said first: who returns a buffer from now on comes here, and an earlier one's is found now.
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

    /// <summary>Takes a buffer back and starts what waited for it.</summary>
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

    /// <summary>The least bytes of buffers with which every record can be read.</summary>
    public static long LeastBufferBytes(BlockGeometry geometry) =>
        (long)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)geometry.PageStride);

    /// <inheritdoc/>
    public void Dispose() => _buffers.Dispose();
}
