using Faster.Workload.Engines;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>
/// The outcomes of one client's operations: those that end at once, those that go pending, and now and then one whose
/// time is taken. One thread's.
/// </summary>
internal sealed class Outcomes
{
    private readonly ReadSink _sink = new();
    private WatchSink? _watch;

    /// <summary>What the next operation tells its outcome to, if it goes pending.</summary>
    public ReadSink Sink => _watch ?? _sink;

    /// <summary>Has the next operation's time taken.</summary>
    public void WatchNext(LatencyHistogram latencies) => _watch = new WatchSink(_sink, latencies);

    /// <summary>What the values of pending reads have told since the last call.</summary>
    public long TakeTold() => _sink.TakeTold();

    /// <summary>Notes how an operation has ended, or that it has not.</summary>
    /// <returns>Whether it has.</returns>
    /// <exception cref="WrongAnswerException">It did not find its key.</exception>
    public bool IsDone(Status status)
    {
        if (_watch is { } watch)
        {
            _watch = null;
            if (status == Status.Ok)
                watch.Record();
        }

        if (status == Status.Ok)
            return true;
        if (status != Status.Pending)
            StoreStatus.RequireOk(status);
        return false;
    }
}
