using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Log;

namespace Faster.Compaction.Lookups;

/// <summary>
/// Reads the beginnings of records in the order of their addresses: those near each other by one request, and several
/// requests at a time.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Requests are completed in the order in which they were made. The bytes of those under way lie in a ring, one
/// after another, so many small ones share it as well as a few large ones.</item>
/// <item>A request lies in one page, and its bytes do not wrap around.</item>
/// <item>No request is under way outside <see cref="Run"/>.</item>
/// </list>
/// <para>Large requests into huge pages are what a disk reads fastest: 256 KiB at a time gave more than twice as much
/// as 32 KiB into small pages (docs/internals/disk-budget.md).</para>
/// <para>Not thread-safe; used outside every epoch. The log's I/O thread must be running.</para>
/// </remarks>
internal sealed unsafe class SortedReads
{
    /// <summary>The bytes between two records that are read along: they cost as much time as another request.</summary>
    public const int Gap = 16 << 10;

    /// <summary>The smallest number of bytes that suffice.</summary>
    public const int MinBytes = (LargestAtOnce + 1) * BlockGeometry.MaxSector;

    /// <summary>The largest number of bytes that are of use.</summary>
    public const int MaxBytes = (8 * LargestRequest) + LargestRecord;

    private const int LargestAtOnce = 4, LargestRequest = 256 << 10, LargestRecord = 64 << 10;

    private readonly LogStorage _storage;
    private readonly Request[] _requests = new Request[32];
    private readonly byte* _ring;
    private readonly long _ringBytes;
    private readonly byte* _decoded; // the blocks of one record
    private readonly int _decodedBytes;
    private long _begun, _ended; // requests
    private long _freeFrom, _usedFrom; // in the ring, unwrapped

    /// <summary>Prepares reads.</summary>
    /// <param name="storage">The log's place on the device.</param>
    /// <param name="memory">The memory for them, at a multiple of the largest sector; outlives this.</param>
    /// <param name="bytes">Its size; at least <see cref="MinBytes"/>; 0: nothing will be read.</param>
    public SortedReads(LogStorage storage, byte* memory, long bytes)
    {
        _storage = storage;
        long part = bytes / (LargestAtOnce + 1) & -BlockGeometry.MaxSector;
        Invariant.Check(
            (part > 0 || bytes == 0) && (nint)memory % BlockGeometry.MaxSector == 0,
            $"{bytes} bytes at {(nint)memory} suffice");
        RequestBytes = (int)Math.Min(part, LargestRequest);
        _decodedBytes = (int)Math.Min(part, LargestRecord);
        _decoded = memory;
        _ring = memory + _decodedBytes;
        _ringBytes = (bytes - _decodedBytes) & -BlockGeometry.MaxSector;
        for (int i = 0; i < _requests.Length; i++) _requests[i] = new Request();
    }

    /// <summary>The bytes of the largest request.</summary>
    public int RequestBytes { get; }

    /// <summary>The largest beginning of a record that can be read, in bytes.</summary>
    public int MaxLength => Math.Max(_decodedBytes - (2 * BlockGeometry.MaxSector), BlockFormat.Payload);

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
        try
        {
            for (int next = 0; next < count || _ended < _begun;)
            {
                while (next < count && TryBegin(ref next, count, ref visitor)) continue;
                Request oldest = WaitForOldest();
                for (int i = oldest.First; i < oldest.End; i++) visitor.Visit(i, Decode(oldest, visitor.RangeOf(i)));
                Free(oldest);
            }
        }
        finally
        {
            while (_ended < _begun) Free(WaitForOldest());
        }
    }

    private bool TryBegin<TVisitor>(ref int next, int count, ref TVisitor visitor)
        where TVisitor : struct, ISortedVisitor
    {
        if (_begun - _ended == _requests.Length) return false;
        BlockExtent extent = Map(visitor.RangeOf(next));
        long page = extent.FirstBlock / _storage.Geometry.BlocksPerPage, end = extent.Offset + extent.Length;
        int last = next + 1;
        for (; last < count; last++)
        {
            BlockExtent other = Map(visitor.RangeOf(last));
            long otherEnd = Math.Max(other.Offset + other.Length, end);
            if (other.FirstBlock / _storage.Geometry.BlocksPerPage != page || other.Offset - end > Gap
                || otherEnd - extent.Offset > RequestBytes) break;
            end = otherEnd;
        }

        long bytes = end - extent.Offset;
        if (!TryTake(bytes, out byte* buffer)) return false;
        Request request = _requests[_begun++ % _requests.Length];
        request.Begin(next, last, _freeFrom);
        BytesRead += bytes;
        _storage.BeginRead(request, extent with { Length = (int)bytes }, buffer);
        next = last;
        return true;
    }

    // Bytes of the ring for a request; any fits if none is under way.
    private bool TryTake(long bytes, out byte* buffer)
    {
        if (_ended == _begun) (_freeFrom, _usedFrom) = (0, 0);
        long at = _freeFrom % _ringBytes, from = at + bytes <= _ringBytes ? _freeFrom : _freeFrom - at + _ringBytes;
        buffer = _ring + (from % _ringBytes);
        if (from + bytes - _usedFrom > _ringBytes) return false;
        _freeFrom = from + bytes;
        return true;
    }

    private Request WaitForOldest()
    {
        Request oldest = _requests[_ended % _requests.Length];
        oldest.Done.Wait();
        return oldest;
    }

    private void Free(Request oldest)
    {
        _usedFrom = oldest.RingEnd;
        _ended++;
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

        public long RingEnd { get; private set; }

        public void Begin(int first, int end, long ringEnd)
        {
            (First, End, RingEnd, Error) = (first, end, ringEnd, null);
            Done.Reset();
        }

        public override void OnCompleted() => Done.Set();
    }
}
