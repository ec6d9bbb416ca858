using System.Diagnostics;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>Takes the outcome of one operation, and records how long it was under way.</summary>
internal sealed class WatchSink(ReadSink inner, LatencyHistogram latencies) : ReadSink
{
    private readonly long _start = Stopwatch.GetTimestamp();

    /// <inheritdoc/>
    public override void End(Status status, long word, Exception? error)
    {
        inner.End(status, word, error);
        Record();
    }

    /// <summary>The operation has ended.</summary>
    public void Record() => latencies.Record(Stopwatch.GetTimestamp() - _start);
}
