using Faster.Devices;
using Faster.Persistence;

namespace Faster.Testing;

/// <summary>For tests: a region over another one whose fences fail by a plan.</summary>
/// <remarks>
/// A fault of <see cref="FaultTarget.Sync"/> hits the n-th fence; a flush only lists its range and can't fail. With
/// <see cref="FaultFlavor.ShortTransfer"/> the inner fence runs before the error is reported: what failed is durable
/// all the same. With the other flavors nothing is made durable. No fence reaches the inner region after a failed one.
/// Owns the inner region. Thread-safe as <see cref="PersistentRegion"/> requires, by one lock around each fence.
/// </remarks>
internal sealed unsafe class FaultRegion(PersistentRegion inner, FaultPlan plan) : PersistentRegion
{
    private readonly Lock _gate = new();
    private StorageException? _failure;
    private FaultCounters _counters;

    /// <summary>The fences so far, as syncs.</summary>
    public FaultCounters Counters
    {
        get
        {
            lock (_gate) return _counters;
        }
    }

    /// <inheritdoc/>
    public override byte* Pointer => inner.Pointer;

    /// <inheritdoc/>
    public override long Length => inner.Length;

    /// <inheritdoc/>
    public override string Name => inner.Name;

    /// <inheritdoc/>
    public override bool FencesOnCaller => inner.FencesOnCaller;

    /// <inheritdoc/>
    public override void Add(IFlushSource source) => inner.Add(source);

    /// <inheritdoc/>
    public override void Flush(long offset, long length) => inner.Flush(offset, length);

    /// <inheritdoc/>
    public override void Fence()
    {
        lock (_gate)
        {
            long n = _counters.Syncs + 1;
            _counters = _counters with
            {
                Syncs = n,
                SyncsAfterFailure = _counters.SyncsAfterFailure + (_failure is null ? 0 : 1),
            };
            if (_failure is not null) throw DeviceErrors.SyncFailed(Name, "an earlier fence failed.", _failure);
            Fault? fault = plan.Faults.FirstOrDefault(f => f.Strikes(FaultTarget.Sync, n));
            if (fault is null or { Flavor: FaultFlavor.ShortTransfer }) inner.Fence();
            if (fault is null) return;
            _counters = _counters with { Faults = _counters.Faults + 1 };
            throw _failure = DeviceErrors.SyncFailed(Name, $"injected {fault.Flavor}.");
        }
    }

    /// <inheritdoc/>
    public override void Dispose() => inner.Dispose();
}
