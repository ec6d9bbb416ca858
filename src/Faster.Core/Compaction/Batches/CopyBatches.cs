using Faster.Log;
using Faster.Probes;

namespace Faster.Compaction.Batches;

/// <summary>
/// The memory of the compactions that copy to one tier: batches, as many as one of them has threads. A thread that
/// finds none free waits until another one, maybe of another compaction, has copied what it has gathered; in the order
/// in which they have come, so that none of two compactions starves the other.
/// </summary>
/// <remarks>
/// A thread that has a batch waits for the device, for the log of chunks, and for the end of a commit's capture, and
/// for nothing that needs a batch. Thread-safe: a short lock. Used outside every epoch.
/// </remarks>
internal sealed class CopyBatches : IDisposable
{
    private static readonly TimeSpan Tick = TimeSpan.FromSeconds(1);

    private readonly Stack<CopyBatch> _free;
    private readonly WaitGate _gate = new();
    private long _came, _served; // threads
    private int _count; // of free ones

    /// <summary>Reserves the memory.</summary>
    /// <param name="count">The number of batches.</param>
    /// <param name="make">Makes one.</param>
    public CopyBatches(int count, Func<CopyBatch> make) =>
        (_free, _count) = (new Stack<CopyBatch>(Enumerable.Range(0, count).Select(_ => make())), count);

    /// <summary>Takes an empty batch, and waits for one if all are taken.</summary>
    public CopyBatch Take()
    {
        long turn;
        lock (_free) turn = _came++;
        while (true)
        {
            Probe.Point(ProbePoint.Wait);
            if (TryTake(turn) is { } batch)
            {
                _gate.Signal();
                return batch;
            }

            // The gate evaluates it under its own lock, so it may not take one.
            Func<bool> isTurn = () => turn == Volatile.Read(ref _served) && Volatile.Read(ref _count) != 0;
            if (!(Probe.On && Probe.Wait(isTurn))) _gate.Wait(isTurn, Tick);
        }
    }

    /// <summary>Gives a batch back.</summary>
    public void Return(CopyBatch batch)
    {
        batch.Clear();
        lock (_free)
        {
            _free.Push(batch);
            _count++;
        }

        _gate.Signal();
    }

    /// <summary>Frees the memory; all batches must have been given back.</summary>
    public void Dispose()
    {
        while (_free.TryPop(out CopyBatch? batch)) batch.Dispose();
    }

    private CopyBatch? TryTake(long turn)
    {
        lock (_free)
        {
            if (turn != _served || !_free.TryPop(out CopyBatch? batch)) return null;
            _served++;
            _count--;
            return batch;
        }
    }
}
