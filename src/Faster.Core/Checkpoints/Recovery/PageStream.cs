using System.Collections.Concurrent;
using System.Runtime.ExceptionServices;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Memory;

namespace Faster.Checkpoints.Recovery;

/// <summary>
/// Reads a range of the log from the device page by page, with many reads in flight, and hands each page to one of
/// several threads. For recovery, while nothing else uses the device.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A page's buffer is reused only when its thread has finished with it: memory is bounded.</item>
/// <item>Whatever fails, the stream returns only when the device has completed every read.</item>
/// <item>Each page of the range is handed out once, unless something has failed.</item>
/// </list>
/// <para>The caller's thread submits and polls. Not thread-safe; runs once.</para>
/// </remarks>
internal sealed unsafe class PageStream : IDisposable
{
    private const int MinLoads = 2, MaxLoads = 256;
    private const int ReadsInBuffers = 32;  // the read size is chosen so that all buffers together hold this many reads
    private const int MaxReadBytes = 1 << 20;
    private static readonly TimeSpan Idle = TimeSpan.FromMilliseconds(100);

    private readonly LogStorage _storage;
    private readonly NativeBlock _buffers;
    private readonly ConcurrentBag<PageLoad> _idle = [];
    private readonly BlockingCollection<PageLoad> _loaded = new(new ConcurrentQueue<PageLoad>());
    private readonly IORequest[] _completed = new IORequest[64];
    private readonly int _loads;
    private ExceptionDispatchInfo? _failure;

    /// <summary>Allocates the buffers.</summary>
    /// <param name="storage">The log's storage.</param>
    /// <param name="bufferBytes">The bytes for buffers; at least two pages are allocated.</param>
    public PageStream(LogStorage storage, long bufferBytes)
    {
        _storage = storage;
        int stride = storage.Geometry.PageStride;
        _loads = (int)Math.Clamp(bufferBytes / stride, MinLoads, MaxLoads);
        long read = (long)_loads * stride / ReadsInBuffers / BlockGeometry.MaxSector * BlockGeometry.MaxSector;
        read = Math.Clamp(read, BlockGeometry.MaxSector, MaxReadBytes);
        _buffers = new NativeBlock((long)_loads * stride, hugePages: false);
        for (int i = 0; i < _loads; i++)
            _idle.Add(new PageLoad(storage, _buffers.Pointer + ((long)i * stride), (int)read));
    }

    /// <summary>Reads everything between two addresses.</summary>
    /// <param name="from">The first address.</param>
    /// <param name="to">The first address behind the range; a multiple of a sector.</param>
    /// <param name="workers">The number of threads that handle pages.</param>
    /// <param name="handle">Handles a page; gets the number of its thread. Pages come in no particular order.</param>
    /// <param name="onRead">Called with the number of bytes read, on the caller's thread.</param>
    /// <param name="ct">Cancels the reading.</param>
    /// <exception cref="FasterException">The device, or the handler, failed.</exception>
    public void Run(
        long from, long to, int workers, Action<int, PageLoad> handle, Action<long>? onRead, CancellationToken ct)
    {
        if (from >= to) return;
        var threads = new Thread[workers];
        for (int i = 0; i < workers; i++)
        {
            int worker = i;
            threads[i] = new Thread(() => Handle(worker, handle)) { IsBackground = true, Name = "Faster recovery" };
            threads[i].Start();
        }

        try
        {
            Read(from, to, onRead, ct);
        }
        finally
        {
            _loaded.CompleteAdding();
            foreach (Thread thread in threads) thread.Join();
        }

        _failure?.Throw();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _loaded.Dispose();
        _buffers.Dispose();
    }

    private void Read(long next, long to, Action<long>? onRead, CancellationToken ct)
    {
        long pageBytes = _storage.Geometry.PageBytes;
        for (int reading = 0; ;)
        {
            if (ct.IsCancellationRequested) Fail(new OperationCanceledException(ct));
            while (next < to && Volatile.Read(ref _failure) is null && _idle.TryTake(out PageLoad? load))
            {
                long end = Math.Min((next / pageBytes + 1) * pageBytes, to);
                load.Start(next, end);
                reading++;
                next = end;
            }

            if (reading == 0 && (next >= to || Volatile.Read(ref _failure) is not null)) return;
            int count = _storage.Device.Poll(_completed);
            for (int i = 0; i < count; i++)
            {
                var load = PageLoad.Of(_completed[i]);
                if (!load.Finish(_completed[i])) continue;
                reading--;
                if (load.Error is null) _loaded.Add(load, CancellationToken.None);
                else Fail(load.Error);
                Report(onRead, load.To - load.From);
            }

            if (count == 0) _storage.Device.Wait(Idle); // a thread that returns a buffer wakes it, too
        }
    }

    // A failing listener must not free the buffers while the device uses them.
    private void Report(Action<long>? onRead, long bytes)
    {
        try
        {
            onRead?.Invoke(bytes);
        }
        catch (Exception e)
        {
            Fail(e);
        }
    }

    private void Handle(int worker, Action<int, PageLoad> handle)
    {
        foreach (PageLoad load in _loaded.GetConsumingEnumerable())
        {
            try
            {
                if (Volatile.Read(ref _failure) is null) handle(worker, load);
            }
            catch (Exception e)
            {
                Fail(e);
            }

            _idle.Add(load);
            _storage.Device.Wake();
        }
    }

    private void Fail(Exception exception) =>
        Interlocked.CompareExchange(ref _failure, ExceptionDispatchInfo.Capture(exception), null);
}
