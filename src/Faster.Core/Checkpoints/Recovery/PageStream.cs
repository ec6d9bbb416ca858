using System.Collections.Concurrent;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Memory;

namespace Faster.Checkpoints.Recovery;

/// <summary>
/// Reads a range of the log from the device, by pages or parts of pages, with many reads in flight, and hands each of
/// them to one of several threads. For recovery, while nothing else uses the device.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A part's buffer is reused only when its thread has finished with it: memory is bounded.</item>
/// <item>Whatever fails, the stream returns only when the device has completed every read.</item>
/// <item>Each part of the range is handed out once, unless something has failed.</item>
/// </list>
/// <para>The caller's thread submits and polls. Not thread-safe; runs once.</para>
/// </remarks>
internal sealed unsafe class PageStream : IDisposable
{
    private const int MinLoads = 2, MaxLoads = 256;
    private const int ReadsInBuffers = 32;  // sizes are chosen so that all buffers together hold this many reads
    private const int MaxReadBytes = 1 << 20, MaxPartBytes = 256 << 10;
    private static readonly TimeSpan Idle = TimeSpan.FromMilliseconds(100);

    private readonly LogStorage _storage;
    private readonly NativeBlock _buffers;
    private readonly ConcurrentBag<PageLoad> _idle = [];
    private readonly IORequest[] _completed = new IORequest[64];
    private readonly int _partBytes; // of the log

    /// <summary>Allocates the buffers.</summary>
    /// <param name="storage">The log's storage.</param>
    /// <param name="bufferBytes">The bytes for buffers; at least two parts are allocated.</param>
    /// <param name="wholePages">Whether a part is a whole page; otherwise it is as small as is good for reads.</param>
    public PageStream(LogStorage storage, long bufferBytes, bool wholePages)
    {
        _storage = storage;
        int stride = storage.Geometry.PageStride;
        int part = wholePages ? stride : Math.Min(RoundRead(bufferBytes / ReadsInBuffers, MaxPartBytes), stride);
        int loads = (int)Math.Clamp(bufferBytes / part, MinLoads, MaxLoads);
        int read = RoundRead((long)loads * part / ReadsInBuffers, MaxReadBytes);
        _partBytes = part / BlockFormat.BlockSize * BlockFormat.Payload;
        _buffers = new NativeBlock((long)loads * part); // in huge pages a disk reads several times as fast
        for (int i = 0; i < loads; i++)
            _idle.Add(new PageLoad(storage, _buffers.Pointer + ((long)i * part), part, read));
    }

    /// <summary>Reads everything between two addresses.</summary>
    /// <param name="from">The first address.</param>
    /// <param name="to">The first address behind the range; a multiple of a sector.</param>
    /// <param name="workers">The number of threads that handle parts.</param>
    /// <param name="handle">Handles a part; gets the number of its thread. Parts come in no particular order.</param>
    /// <param name="onRead">Called with the number of bytes read, on the caller's thread.</param>
    /// <param name="ct">Cancels the reading.</param>
    /// <exception cref="FasterException">The device, or the handler, failed.</exception>
    public void Run(
        long from, long to, int workers, Action<int, PageLoad> handle, Action<long>? onRead, CancellationToken ct)
    {
        if (from >= to) return;
        var threads = new RecoveryThreads<PageLoad>(workers, handle, Release);
        using (threads) Read(threads, from, to, onRead, ct);
        threads.ThrowIfFailed();
    }

    /// <inheritdoc/>
    public void Dispose() => _buffers.Dispose();

    private static int RoundRead(long bytes, int most) =>
        (int)Math.Clamp(bytes / BlockGeometry.MaxSector * BlockGeometry.MaxSector, BlockGeometry.MaxSector, most);

    private void Read(
        RecoveryThreads<PageLoad> threads, long next, long to, Action<long>? onRead, CancellationToken ct)
    {
        for (int reading = 0; ;)
        {
            if (ct.IsCancellationRequested) threads.Fail(new OperationCanceledException(ct));
            while (next < to && !threads.HasFailed && _idle.TryTake(out PageLoad? load))
            {
                long end = Math.Min(EndOfPart(next), to);
                load.Start(next, end);
                reading++;
                next = end;
            }

            if (reading == 0 && (next >= to || threads.HasFailed)) return;
            int count = _storage.Device.PollTyped(_completed);
            for (int i = 0; i < count; i++)
            {
                var load = PageLoad.Of(_completed[i]);
                if (!load.Finish(_completed[i])) continue;
                reading--;
                if (load.Error is null) threads.Add(load);
                else threads.Fail(load.Error);
                Report(threads, onRead, load.To - load.From);
            }

            if (count == 0) _storage.Device.Wait(Idle); // a thread that returns a buffer wakes it, too
        }
    }

    private long EndOfPart(long address)
    {
        long pageBytes = _storage.Geometry.PageBytes, page = address / pageBytes * pageBytes;
        return page + Math.Min(((address - page) / _partBytes + 1) * _partBytes, pageBytes);
    }

    // A failing listener must not free the buffers while the device uses them.
    private static void Report(RecoveryThreads<PageLoad> threads, Action<long>? onRead, long bytes)
    {
        try
        {
            onRead?.Invoke(bytes);
        }
        catch (Exception e)
        {
            threads.Fail(e);
        }
    }

    private void Release(PageLoad load)
    {
        _idle.Add(load);
        _storage.Device.Wake();
    }
}
