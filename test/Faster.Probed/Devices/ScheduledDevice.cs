using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Devices;

/// <summary>
/// A device in memory under a controlled scheduler: what is submitted is transferred when a thread of the schedule says
/// so (<see cref="TransferOne"/>), and a thread that waits for it lets the others run. Or everything is transferred at
/// once, at a point of the schedule, by the thread that wants it.
/// </summary>
/// <remarks>Shared by scheduled threads, of which one runs at a time.</remarks>
/// <param name="hasQueues">Whether it gives sessions queues of their own, as a completion ring does.</param>
/// <param name="turn">
/// Takes turns of the I/O thread until it is idle (<see cref="TakeIdle"/>); called by the thread that wakes it.
/// Everything is then transferred at once. Null: threads of the schedule transfer and take turns.
/// </param>
internal sealed unsafe class ScheduledDevice(bool hasQueues, Action? turn = null) : Device
{
    private const int MinBytes = 16 << 10;

    private readonly Queue<(IORequest Request, Row Row)> _inside = new();
    private readonly Queue<IORequest> _held = new();
    private readonly Row _shared = new(null);
    private byte[] _bytes = [];
    private long _end;
    private long _begin;
    private bool _isIdle;

    public override int SectorSize => BlockFormat.BlockSize;

    public override string Name => "a scheduled device";

    private bool IsAtOnce => turn is not null;

    /// <summary>Whether reads stay under way until <see cref="Release"/>.</summary>
    public bool HoldsReads { get; set; }

    /// <summary>Whether a transfer is due.</summary>
    public bool HasRequests => _inside.Count != 0;

    /// <summary>Makes the transfer that was submitted first, if there is one.</summary>
    public void TransferOne()
    {
        if (!_inside.TryDequeue(out (IORequest Request, Row Row) next)) return;
        Make(next.Request);
        next.Row.Completed.Enqueue(next.Request);
    }

    /// <summary>Makes the reads that were held.</summary>
    public void Release()
    {
        HoldsReads = false;
        while (_held.TryDequeue(out IORequest? read)) TransferNow(read);
    }

    /// <summary>Whether the I/O thread has found nothing to do since the last call.</summary>
    public bool TakeIdle()
    {
        bool isIdle = _isIdle;
        _isIdle = false;
        return isIdle;
    }

    /// <summary>What was written.</summary>
    public ReadOnlySpan<byte> Written(long offset, int length)
    {
        Assert.True(offset + length <= _end, $"Bytes {offset} to {offset + length} were never written.");
        return _bytes.AsSpan((int)offset, length);
    }

    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        if (turn is null) Lend(requests, _shared);
        else foreach (IORequest request in requests) TransferNow(request);
    }

    public override int Poll(Span<IORequest> completed) => _shared.Poll(completed);

    public override bool Wait(TimeSpan timeout)
    {
        if (turn is null) return _shared.Wait(timeout);
        _isIdle = !_shared.TakeWake() && _shared.Completed.Count == 0;
        return !_isIdle;
    }

    public override void Wake()
    {
        _shared.Wake();
        turn?.Invoke();
    }

    public override void Sync()
    {
    }

    public override void TruncateBelow(long offset) => _begin = offset;

    internal override IOQueue? TryOpenQueue() => hasQueues ? new Row(this) : null;

    protected override void Dispose(bool disposing)
    {
    }

    private void Lend(ReadOnlySpan<IORequest> requests, Row row)
    {
        foreach (IORequest request in requests) _inside.Enqueue((request, row));
    }

    // A read's owner may block until it is told, and others may join the read until then: so there is no point here. A
    // write is the flusher's, which looks for it in its next turn.
    private void TransferNow(IORequest request)
    {
        if (HoldsReads && request.Kind == IOKind.Read)
        {
            _held.Enqueue(request);
            return;
        }

        Make(request);
        if (request.Kind == IOKind.Read) ((LogRequest)request).OnCompleted();
        else _shared.Completed.Enqueue(request);
    }

    private void Make(IORequest request) =>
        request.Error = (FasterException?)RequestCheck.Find(request, this) ?? Transfer(request);

    private FasterException? Transfer(IORequest request)
    {
        var buffer = new Span<byte>(request.Buffer, request.Length);
        long end = request.Offset + request.Length;
        if (request.Kind == IOKind.Read)
        {
            if (request.Offset < _begin) return new StorageException($"Offset {request.Offset} has been given up.");
            if (end > _end) return DeviceErrors.EndOfData(request, Name, request.Offset, 0);
            Written(request.Offset, request.Length).CopyTo(buffer);
            return null;
        }

        if (end > _bytes.Length) Array.Resize(ref _bytes, (int)Math.Max(end + MinBytes, 2L * _bytes.Length));
        buffer.CopyTo(_bytes.AsSpan((int)request.Offset));
        _end = Math.Max(_end, end);
        return null;
    }

    private sealed class Row(ScheduledDevice? device) : IOQueue
    {
        private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(10);

        private readonly List<IORequest> _added = [];
        private bool _isWoken;

        public Queue<IORequest> Completed { get; } = new();

        public override int Depth => 64;

        public override void Submit(ReadOnlySpan<IORequest> requests) => device!.Lend(requests, this);

        public override void Add(IORequest request) => _added.Add(request);

        public override void Flush()
        {
            device!.Lend(_added.ToArray(), this);
            _added.Clear();
        }

        public override int Poll(Span<IORequest> completed)
        {
            int taken = 0;
            while (taken < completed.Length && Completed.TryDequeue(out IORequest? request))
                completed[taken++] = request;
            return taken;
        }

        // Time passes when others have had a turn; what takes long is a guard that a schedule does without.
        public override bool Wait(TimeSpan timeout, int wanted = 1)
        {
            if (_added.Count != 0) Flush();
            if (device is { IsAtOnce: true })
            {
                Probe.Point(ProbePoint.RegionMarker);
                while (device.HasRequests) device.TransferOne();
                return Completed.Count != 0;
            }

            _ = Probe.Wait(timeout < Short ? null : () => _isWoken || Completed.Count != 0);
            _isWoken = false;
            return Completed.Count != 0;
        }

        public override void Wake() => _isWoken = true;

        public bool TakeWake()
        {
            bool isWoken = _isWoken;
            _isWoken = false;
            return isWoken;
        }

        public override void Dispose()
        {
        }
    }
}
