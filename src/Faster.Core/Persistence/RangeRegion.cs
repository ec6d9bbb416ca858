using System.Runtime.InteropServices;
using Faster.Devices;
using Faster.Invariants;
using Faster.Probes;

namespace Faster.Persistence;

/// <summary>
/// A region whose fences carry the flushed ranges to a medium: it lists the ranges, makes one fence at a time, and
/// remembers a failure.
/// </summary>
/// <remarks>
/// <para>Proof of the invariants of <see cref="PersistentRegion"/>:</para>
/// <list type="number">
/// <item>A flush lists its range under the lock; a source gives what was stored before it is asked, which is after the
/// fence has become the one that runs. A fence takes the list under the same lock after it has become the one
/// that runs, so a range of a flush that returned before is either in the list, or was taken by an earlier fence. That
/// one is over, because fences run one at a time; if it failed, this one fails, too. The lock also orders the stores
/// before the flush ahead of the fence's reads. A fence with an empty list takes its turn all the same: a fence under
/// way may hold its caller's range.</item>
/// <item>A failure is recorded before the next fence begins, and never cleared.</item>
/// </list>
/// <para>Invariants of its own:</para>
/// <list type="bullet">
/// <item>One fence runs at a time; only its thread touches the list that it has taken.</item>
/// <item>What <see cref="Persist"/> gets is whole units inside the region, ascending and disjoint.</item>
/// </list>
/// <para>Thread-safe as <see cref="PersistentRegion"/> requires.</para>
/// </remarks>
internal abstract class RangeRegion : PersistentRegion
{
    private const int MaxRanges = 256; // beyond this a range is joined with the one before, at the price of the gap

    private readonly object _gate = new();
    private List<FlushedRange> _flushed = [];
    private List<FlushedRange> _taken = []; // of the fence that runs
    private bool _isFencing;
    private readonly List<IFlushSource> _sources = [];
    private volatile StorageException? _failure;

    /// <summary>The unit in bytes in which the medium takes ranges, a power of two that divides the length.</summary>
    protected abstract int Unit { get; }

    /// <inheritdoc/>
    public override StorageException? Failure => _failure;

    /// <inheritdoc/>
    public override void Add(IFlushSource source)
    {
        lock (_gate) _sources.Add(source);
    }

    /// <inheritdoc/>
    public override void Flush(long offset, long length)
    {
        Check(offset, length);
        if (length == 0) return;
        Probe.Point(ProbePoint.Fence);
        var range = new FlushedRange(offset, offset + length);
        lock (_gate)
        {
            if (_flushed.Count != 0 && (_flushed[^1].Touches(range) || _flushed.Count == MaxRanges))
                _flushed[^1] = _flushed[^1].With(range);
            else _flushed.Add(range);
        }
    }

    /// <inheritdoc/>
    public override void Fence()
    {
        Probe.Point(ProbePoint.Fence);
        if (Probe.On && Probe.Has(SeededBug.EmptyFenceOvertakes) && IsNothingFlushed()) return;
        Enter();
        try
        {
            if (_failure is not null)
                throw DeviceErrors.SyncFailed(Name, "an earlier fence failed.", _failure);
            Take();
            Probe.Point(ProbePoint.Fence);
            if (_taken.Count != 0) Persist(CollectionsMarshal.AsSpan(_taken));
            foreach (IFlushSource source in _sources) source.OnFenced();
        }
        catch (Exception e) when (_failure is null)
        {
            _failure = e is StorageException { MayRetry: false } final // a write might be retried, a fence is not
                ? final
                : DeviceErrors.SyncFailed(Name, e.Message, e);
            throw new StorageException(_failure.Message, _failure);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Makes ranges durable; called by one thread at a time, and never again after it has thrown.</summary>
    /// <param name="ranges">Whole units, disjoint, ascending, at least one.</param>
    protected abstract void Persist(ReadOnlySpan<FlushedRange> ranges);

    private void Take()
    {
        Probe.Point(ProbePoint.Fence);
        Invariant.Check(_taken.Count == 0, $"a fence begins with nothing taken, not with {_taken.Count} ranges");
        lock (_gate) (_flushed, _taken) = (_taken, _flushed);
        foreach (IFlushSource source in _sources) source.Collect(_taken);
        if (Probe.On && Probe.Has(SeededBug.FenceForgetsRange) && _taken.Count > 1) _taken.RemoveAt(0);
        _taken.Sort(static (a, b) => a.Begin.CompareTo(b.Begin));
        int kept = 0;
        for (int i = 0; i < _taken.Count; i++)
        {
            FlushedRange range = _taken[i].InUnitsOf(Unit);
            if (kept != 0 && _taken[kept - 1].Touches(range)) _taken[kept - 1] = _taken[kept - 1].With(range);
            else _taken[kept++] = range;
        }

        _taken.RemoveRange(kept, _taken.Count - kept);
        CheckTaken();
    }

    private void CheckTaken()
    {
        long end = 0;
        foreach (FlushedRange range in _taken)
        {
            Invariant.Check(
                range.Begin >= end && range.End > range.Begin && range.End <= Length
                    && ((range.Begin | range.End) & (Unit - 1L)) == 0,
                $"ranges are ascending units of {Unit} in {Length} bytes: {range.Begin} to {range.End}, after {end}");
            end = range.End;
        }
    }

    private void Enter()
    {
        while (true)
        {
            Probe.Point(ProbePoint.Fence);
            lock (_gate)
            {
                if (!_isFencing)
                {
                    _isFencing = true;
                    return;
                }
            }

            if (Probe.On && Probe.Wait(() => !Volatile.Read(ref _isFencing))) continue;
            lock (_gate)
            {
                while (_isFencing) Monitor.Wait(_gate);
            }
        }
    }

    private void Leave()
    {
        Probe.Point(ProbePoint.Fence);
        lock (_gate)
        {
            _taken.Clear();
            _isFencing = false;
            Monitor.PulseAll(_gate);
        }
    }

    private bool IsNothingFlushed()
    {
        lock (_gate) return _flushed.Count == 0;
    }
}
