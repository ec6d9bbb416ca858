using Faster.Devices;

namespace Faster.Testing;

/// <summary>For tests: a device over another one that fails, flips bits and reorders completions by a plan.</summary>
/// <remarks>
/// I/O errors are the system's exceptions, as a device of the user's may report them; the store must make them its own.
/// Repeats exactly when one thread calls it over a device that completes inside Submit. Requests are never lost or held
/// indefinitely: a held completion is released after at most <see cref="FaultPlan.HoldBack"/> polls. Thread-safe as
/// <see cref="Device"/> requires, by one lock.
/// </remarks>
public sealed unsafe class FaultDevice : Device
{
    private const int PollBatch = 64;

    private readonly Device _inner;
    private readonly bool _ownsInner;
    private readonly object _gate = new();
    private readonly Dictionary<IORequest, int> _shortened = new(ReferenceEqualityComparer.Instance);
    private readonly List<Held> _held = [];
    private readonly long[] _calls = new long[3];   // by target, since the plan was armed
    private FaultPlan _plan;
    private Random _random;
    private FaultCounters _counters;
    private bool _syncFailed;
    private long _submitted;
    private long _polls;

    /// <summary>Wraps a device.</summary>
    /// <param name="inner">The device that transfers.</param>
    /// <param name="plan">The faults; none by default.</param>
    /// <param name="ownsInner">Whether to dispose of the inner device with this one.</param>
    public FaultDevice(Device inner, FaultPlan? plan = null, bool ownsInner = true)
    {
        ArgumentNullException.ThrowIfNull(inner);
        _inner = inner;
        _ownsInner = ownsInner;
        _plan = plan ?? FaultPlan.None;
        _random = new Random(_plan.Seed);
    }

    /// <inheritdoc/>
    public override int SectorSize => _inner.SectorSize;

    /// <inheritdoc/>
    public override string Name => _inner.Name;

    /// <summary>The calls since the device was created.</summary>
    public FaultCounters Counters
    {
        get
        {
            lock (_gate) return _counters;
        }
    }

    /// <summary>Replaces the plan; calls are counted from 1 again.</summary>
    /// <param name="plan">The plan.</param>
    public void Arm(FaultPlan plan)
    {
        ArgumentNullException.ThrowIfNull(plan);
        lock (_gate)
        {
            _plan = plan;
            _random = new Random(plan.Seed);
            Array.Clear(_calls);
        }
    }

    /// <inheritdoc/>
    public override (string Place, long Offset) Locate(long offset) => _inner.Locate(offset);

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        foreach (IORequest request in requests)
        {
            if (Admit(request)) _inner.Submit([request]);
            else _inner.Wake(); // a thread may wait inside while the failed request is held here
        }
    }

    /// <inheritdoc/>
    public override int Poll(Span<IORequest> completed)
    {
        if (completed.IsEmpty) return 0;
        int taken;
        bool more;
        lock (_gate)
        {
            _polls++;
            TakeFromInner();
            taken = Release(completed);
            more = _held.Count > 0;
        }

        if (more) _inner.Wake();
        return taken;
    }

    /// <summary>
    /// As <see cref="Device.Wait"/>; returns at once while completions are held back, so that polls continue.
    /// </summary>
    public override bool Wait(TimeSpan timeout)
    {
        if (HoldsAny()) return true;
        return _inner.Wait(timeout) || HoldsAny();
    }

    /// <inheritdoc/>
    public override void Wake() => _inner.Wake();

    /// <inheritdoc/>
    public override void Sync()
    {
        lock (_gate)
        {
            _counters = _counters with
            {
                Syncs = _counters.Syncs + 1,
                SyncsAfterFailure = _counters.SyncsAfterFailure + (_syncFailed ? 1 : 0),
            };
            if (Strike(FaultTarget.Sync) is { } fault)
            {
                _syncFailed = true;
                throw new IOException($"Injected {fault.Flavor}.");
            }
        }

        _inner.Sync();
    }

    /// <inheritdoc/>
    public override void TruncateBelow(long offset) => _inner.TruncateBelow(offset);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && _ownsInner) _inner.Dispose();
    }

    // Whether the inner device gets the request. If not, the request has its error and is held.
    private bool Admit(IORequest request)
    {
        lock (_gate)
        {
            _submitted++;
            bool read = request.Kind == IOKind.Read;
            _counters = read
                ? _counters with { Reads = _counters.Reads + 1 }
                : _counters with { Writes = _counters.Writes + 1 };
            if (Strike(read ? FaultTarget.Read : FaultTarget.Write) is not { } fault) return true;
            int part = request.Length / 2 & -SectorSize;
            if (fault.Flavor == FaultFlavor.ShortTransfer && part > 0)
            {
                _shortened[request] = request.Length;
                request.Length = part;
                return true;
            }

            request.Error = ErrorOf(fault, request);
            Hold(request);
            return false;
        }
    }

    private Fault? Strike(FaultTarget target)
    {
        long n = ++_calls[(int)target];
        Fault? fault = _plan.Faults.FirstOrDefault(f => f.Strikes(target, n));
        if (fault is not null) _counters = _counters with { Faults = _counters.Faults + 1 };
        return fault;
    }

    private Exception ErrorOf(Fault fault, IORequest request) => fault.Flavor switch
    {
        FaultFlavor.NoSpace => DeviceErrors.DiskFull(request, Name, request.Offset),
        FaultFlavor.ShortTransfer => Short(request, 0),
        _ => new IOException("Injected I/O error."),
    };

    // The error of a real device: a read reached the end of the data, a write was cut short.
    private FasterException Short(IORequest request, int done) => request.Kind == IOKind.Read
        ? DeviceErrors.EndOfData(request, Name, request.Offset, done)
        : DeviceErrors.Transfer(request, Name, request.Offset, new IOException("Injected short write."));

    private void TakeFromInner()
    {
        var batch = new IORequest[PollBatch];
        int count;
        while ((count = _inner.Poll(batch)) > 0)
        {
            foreach (IORequest request in batch.AsSpan(0, count))
            {
                Finish(request);
                Hold(request);
            }
        }
    }

    private void Finish(IORequest request)
    {
        if (_shortened.Remove(request, out int length))
        {
            int done = request.Length;
            request.Length = length;
            request.Error ??= Short(request, done);
        }

        if (request.Kind != IOKind.Read || request.Error is not null) return;
        foreach (BitFlip flip in _plan.BitFlips)
        {
            long at = flip.Offset - request.Offset;
            if (at >= 0 && at < request.Length) request.Buffer[at] ^= (byte)(1 << flip.Bit);
        }
    }

    private void Hold(IORequest request)
    {
        int hold = _plan.HoldBack == 0 ? 0 : _random.Next(_plan.HoldBack + 1);
        _held.Add(new Held(request, _submitted + hold, _polls + hold));
    }

    private int Release(Span<IORequest> completed)
    {
        int taken = 0;
        for (int i = 0; i < _held.Count && taken < completed.Length;)
        {
            Held held = _held[i];
            if (_submitted < held.UntilSubmitted && _polls < held.UntilPolls)
            {
                i++;
                continue;
            }

            completed[taken++] = held.Request;
            _held.RemoveAt(i);
        }

        return taken;
    }

    private bool HoldsAny()
    {
        lock (_gate) return _held.Count > 0;
    }

    private readonly record struct Held(IORequest Request, long UntilSubmitted, long UntilPolls);
}
