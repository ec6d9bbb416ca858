using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.HashChunks;

/// <summary>
/// The second level of the index of cold records: a hybrid log of its own, with a small in-memory region, whose records
/// are hash chunks (paper 003 §6); with its storage, flusher, reader, and the thread that polls its device.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A record holds the number of a chunk as its key, and the chunk's entries as its value.</item>
/// <item>The previous address of a record is that of the record it was copied from; no walk follows it.</item>
/// </list>
/// <para>Thread-safe as far as its parts are.</para>
/// </remarks>
internal sealed class ChunkLog : IDisposable
{
    private const double MutableFraction = 0.5; // few chunks are changed twice while they are in memory
    private static readonly TimeSpan Idle = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(1); // sessions' completions do not wake it

    private readonly IORequest[] _completed = new IORequest[64];
    private readonly Action<Exception> _onFault;
    private int _inTurn; // one thread at a time completes reads
    private long _appended;
    private long _left; // the address up to which records have been announced to Leaving
    private Thread? _thread;
    private volatile bool _stopping;

    /// <summary>Creates an empty log, whose thread does not run yet.</summary>
    /// <param name="epochs">The store's epochs.</param>
    /// <param name="plan">The index's plan.</param>
    /// <param name="device">The log's device, which the caller owns.</param>
    /// <param name="identity">The store's identity and the first incarnation.</param>
    /// <param name="onFault">Called with errors that have no other recipient.</param>
    public ChunkLog(
        EpochTable epochs, ChunkIndexPlan plan, Device device, BlockIdentity identity,
        Action<Exception> onFault)
    {
        _onFault = onFault;
        Storage = new LogStorage(device, new BlockGeometry(plan.PageBits), identity);
        Flusher = new PageFlusher(Storage, plan.FlushPart, plan.FlushParts);
        var schema = new RecordSchema(sizeof(long), sizeof(long), plan.ChunkBytes, "chunk number", "hash chunk");
        Pages = new HybridLog(
            epochs, Flusher,
            new LogShape(schema, default, plan.PageBits, plan.ResidentPages, MutableFraction));
        Flusher.Attach(Pages);
        Reader = new LogReader(Storage, Pages.Layout, plan.ReadBuffers, onFault) { Starved = Wake };
        RecordBytes = plan.RecordBytes;
    }

    /// <summary>The pages and their markers.</summary>
    public HybridLog Pages { get; }

    /// <summary>The log on its device.</summary>
    public LogStorage Storage { get; }

    /// <summary>Writes the log's pages to the device.</summary>
    public PageFlusher Flusher { get; }

    /// <summary>Reads records back.</summary>
    public LogReader Reader { get; }

    /// <summary>
    /// Called with the address of each record, and with the record, before it may leave memory. By one thread at a
    /// time; set before the first turn.
    /// </summary>
    public Action<long, nint>? Leaving { get; set; }

    /// <summary>The number of records that were appended: new chunks and copies.</summary>
    public long Appended => Volatile.Read(ref _appended);

    /// <summary>The size of every record in bytes.</summary>
    public int RecordBytes { get; }

    /// <summary>The entries of a record in memory.</summary>
    public unsafe ulong* WordsAt(long address) => WordsOf(Pages.Pointer(address));

    /// <summary>The entries of a record.</summary>
    public static unsafe ulong* WordsOf(byte* record) => (ulong*)(record + RecordHeader.Size + sizeof(long));

    /// <summary>The number of a record's chunk.</summary>
    public static unsafe long ChunkOf(byte* record) => *(long*)(record + RecordHeader.Size);

    /// <summary>Allocates a record; its caller writes the entries and links it, within the same epoch.</summary>
    /// <returns>False: no frame is free.</returns>
    public unsafe bool TryAppend(long chunk, long previous, out long address)
    {
        if (!Pages.TryAllocate(null, RecordBytes, out address)) return false;
        Interlocked.Increment(ref _appended);
        byte* record = Pages.Pointer(address);
        *(long*)(record + RecordHeader.Size) = chunk;
        RecordHeader.Write(record, RecordHeader.Make(previous));
        return true;
    }

    /// <summary>Starts the thread that polls the device and writes pages.</summary>
    public void Start()
    {
        _thread = new Thread(Run) { IsBackground = true, Name = "Faster chunk I/O" };
        _thread.Start();
    }

    /// <summary>Lets the thread look for work.</summary>
    public void Wake() => Storage.Device.Wake();

    /// <summary>
    /// Does what there is to do: completions, and pages to write. For the thread itself, and for a caller that waits
    /// before the thread runs: then any thread may.
    /// </summary>
    /// <returns>Whether there was anything to do; false also while another thread takes a turn.</returns>
    public bool TakeTurn()
    {
        if (Interlocked.Exchange(ref _inTurn, 1) != 0) return false;
        try
        {
            TryAnnounceLeaving();
            int count = Storage.Device.PollTyped(_completed);
            LogRequest.CompleteAll(_completed.AsSpan(0, count), _onFault);
            bool fed = Reader.IsStarving && Reader.PollOwn(); // sessions' queues may hold buffers that others wait for
            return TryFlush() | fed | count != 0;
        }
        finally
        {
            Volatile.Write(ref _inTurn, 0);
        }
    }

    /// <summary>Waits until the device has something, for a moment; in turns with <see cref="TakeTurn"/>.</summary>
    public void AwaitDevice() => Storage.Device.Wait(Reader.IsStarving ? Soon : Idle);

    /// <summary>Stops the thread after its current turn. Idempotent.</summary>
    public void Stop()
    {
        _stopping = true;
        Wake();
        if (_thread is { } thread && Thread.CurrentThread != thread) thread.Join();
        _thread = null;
    }

    /// <summary>Stops the thread and frees the memory; no other thread may use the log any more.</summary>
    public void Dispose()
    {
        Stop();
        Pages.Dispose();
        Flusher.Dispose();
        Reader.Dispose();
    }

    private void TryAnnounceLeaving()
    {
        if (Leaving is not { } leaving) return;
        try
        {
            AnnounceLeaving(leaving);
        }
        catch (Exception e)
        {
            Leaving = null; // the disk has what memory has not
            _onFault(e);
        }
    }

    // What lies above the last address has not been written, as writes end in a turn after the one that began them. So
    // it is in memory.
    private unsafe void AnnounceLeaving(Action<long, nint> leaving)
    {
        long safe = Probe.On && Probe.Has(SeededBug.ChunkStagedWhileItChanges)
            ? Pages.ReadOnlyAddress
            : Pages.SafeImmutableAddress;
        if (_left == 0) _left = Pages.FlushedUntilAddress == 0 ? PagedLog.FirstAddress : safe; // a recovery
        while (_left < safe)
        {
            long end = Math.Min(Pages.PageEndOf(_left), safe);
            var walker = new RecordWalker(
                Storage, Pages.Layout, Pages.Pointer(_left), RecordBoundary.OfTail(_left), end);
            while (walker.MoveNext()) leaving(walker.Address, (nint)walker.Record);
            _left = end;
        }
    }

    private void Run()
    {
        while (!_stopping)
        {
            if (!TakeTurn()) AwaitDevice();
        }
    }

    private bool TryFlush()
    {
        try
        {
            return Flusher.TryStep();
        }
        catch (Exception e)
        {
            _onFault(e);
            return false;
        }
    }
}
