using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Log;
using Faster.Memory;

namespace Faster.Compaction.Lookups;

/// <summary>
/// Reads the beginnings of records in the order of their addresses: those near each other by one request, and several
/// requests at a time.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Requests are completed in the order in which they were made, and each buffer has at most one.</item>
/// <item>A request lies in one page and in its buffer.</item>
/// <item>No request is under way outside <see cref="Run"/>.</item>
/// </list>
/// <para>Not thread-safe; used outside every epoch. The log's I/O thread must be running.</para>
/// </remarks>
internal sealed unsafe class SortedReads : IDisposable
{
    private const int MinRequests = 4, MaxRequests = 32, WantedBuffer = 32 << 10;

    /// <summary>The bytes between two records that are read along: they cost as much time as another request.</summary>
    public const int Gap = 16 << 10;

    private readonly LogStorage _storage;
    private readonly NativeBlock _buffers;
    private readonly Request[] _requests;
    private readonly byte* _decoded;

    /// <summary>Reserves memory.</summary>
    /// <param name="storage">The log's place on the device.</param>
    /// <param name="bytes">The bytes of memory; at least <see cref="MinBytes"/>.</param>
    public SortedReads(LogStorage storage, long bytes)
    {
        _storage = storage;
        _buffers = new NativeBlock(bytes, hugePages: false);
        int requests = (int)Math.Clamp(bytes / WantedBuffer, MinRequests, MaxRequests);
        BufferBytes = (int)Math.Min(bytes / (requests + 1) & -BlockGeometry.MaxSector, 2 * WantedBuffer);
        Invariant.Check(BufferBytes > 0, $"{bytes} bytes are enough for {requests} requests");
        _requests = new Request[requests];
        for (int i = 0; i < requests; i++)
            _requests[i] = new Request { Buffer = _buffers.Pointer + ((long)i * BufferBytes) };
        _decoded = _buffers.Pointer + ((long)requests * BufferBytes);
    }

    /// <summary>The smallest number of bytes that suffice.</summary>
    public const int MinBytes = (MinRequests + 1) * BlockGeometry.MaxSector;

    /// <summary>The bytes of one buffer.</summary>
    public int BufferBytes { get; }

    /// <summary>The largest beginning of a record that can be read, in bytes.</summary>
    public int MaxLength => Math.Max(BufferBytes - (2 * BlockGeometry.MaxSector), BlockFormat.Payload);

    /// <summary>The bytes that <see cref="Run"/> has read last.</summary>
    public long BytesRead { get; private set; }

    /// <summary>Reads the beginnings of records.</summary>
    /// <typeparam name="TVisitor">What becomes of them.</typeparam>
    /// <param name="count">The number of records.</param>
    /// <param name="visitor">
    /// Knows the records, and is called for each, in order, when its beginning has been read.
    /// </param>
    public void Run<TVisitor>(int count, ref TVisitor visitor)
        where TVisitor : struct, ISortedVisitor
    {
        BytesRead = 0;
        long begun = 0, ended = 0;
        try
        {
            for (int next = 0; next < count || ended < begun;)
            {
                for (; next < count && begun - ended < _requests.Length; begun++)
                    next = Begin(_requests[begun % _requests.Length], next, count, ref visitor);
                Request oldest = _requests[ended % _requests.Length];
                oldest.Done.Wait();
                ended++;
                for (int i = oldest.First; i < oldest.End; i++) visitor.Visit(i, Decode(oldest, visitor.RangeOf(i)));
            }
        }
        finally
        {
            for (; ended < begun; ended++) _requests[ended % _requests.Length].Done.Wait();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (Request request in _requests) request.Done.Dispose();
        _buffers.Dispose();
    }

    private int Begin<TVisitor>(Request request, int first, int count, ref TVisitor visitor)
        where TVisitor : struct, ISortedVisitor
    {
        BlockExtent extent = Map(visitor.RangeOf(first));
        long page = extent.FirstBlock / _storage.Geometry.BlocksPerPage, end = extent.Offset + extent.Length;
        int next = first + 1;
        for (; next < count; next++)
        {
            BlockExtent other = Map(visitor.RangeOf(next));
            long otherEnd = Math.Max(other.Offset + other.Length, end);
            if (other.FirstBlock / _storage.Geometry.BlocksPerPage != page || other.Offset - end > Gap
                || otherEnd - extent.Offset > BufferBytes) break;
            end = otherEnd;
        }

        request.Begin(first, next);
        BytesRead += end - extent.Offset;
        _storage.BeginRead(request, extent with { Length = (int)(end - extent.Offset) }, request.Buffer);
        return next;
    }

    // The blocks stay as they are, because two records may share one.
    private byte* Decode(Request request, (long Address, int Length) range)
    {
        if (request.Error is not null) return null;
        BlockExtent extent = Map(range);
        byte* blocks = request.Buffer + (extent.Offset - request.Offset) + extent.BlocksAt;
        try
        {
            _storage.Decode(extent.FirstBlock, extent.BlockCount, blocks, _decoded);
            return _decoded + extent.Skip;
        }
        catch (DamagedDataException)
        {
            return null;
        }
    }

    private BlockExtent Map((long Address, int Length) range) =>
        _storage.Geometry.Map(range.Address, range.Length, _storage.Device.SectorSize);

    private sealed class Request : LogRequest
    {
        public ManualResetEventSlim Done { get; } = new();

        public int First { get; private set; }

        public int End { get; private set; }

        public void Begin(int first, int end)
        {
            (First, End, Error) = (first, end, null);
            Done.Reset();
        }

        public override void OnCompleted() => Done.Set();
    }
}
