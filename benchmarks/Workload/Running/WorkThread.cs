using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Faster.Workload;

/// <summary>A thread that works through its key stream until told to stop.</summary>
internal sealed class WorkThread
{
    private readonly IEngine _engine;
    private readonly ChunkWork _work;
    private readonly GuardedThread _thread;
    private PaddedCount _done;
    private volatile bool _samples;
    private volatile bool _hasSampled;
    private volatile bool _stop;

    /// <summary>Makes the thread, not started yet.</summary>
    public WorkThread(IEngine engine, ChunkWork work, KeyStream stream)
    {
        _engine = engine;
        _work = work;
        Stream = stream;
        _thread = new GuardedThread(Work);
    }

    /// <summary>The keys that it works on.</summary>
    public KeyStream Stream { get; }

    /// <summary>How many operations are done; any thread may ask at any time.</summary>
    public long Done => Volatile.Read(ref _done.Value);

    /// <summary>Whether it has done a chunk with a sample, or has failed; any thread may ask at any time.</summary>
    public bool HasSampled => _hasSampled || !_thread.IsRunning;

    /// <summary>The times of the operations that were sampled; to be looked at when it has stopped.</summary>
    public LatencyHistogram Latencies { get; } = new();

    /// <summary>
    /// What it does when it has been told to stop, before the worker is returned: it waits for what is under way.
    /// </summary>
    public Action<IWorker> Finish { get; init; } = worker => worker.Finish();

    /// <summary>Starts to take the time of one operation in each chunk.</summary>
    public void StartSampling() => _samples = true;

    /// <summary>Starts to work.</summary>
    public void Start() => _thread.Start();

    /// <summary>Asks it to stop after the chunk at hand.</summary>
    public void RequestStop() => _stop = true;

    /// <summary>Waits until it has stopped, and rethrows what it failed with.</summary>
    public void Join() => _thread.Join();

    private void Work()
    {
        using IWorker worker = _engine.StartWorker();
        while (!_stop)
        {
            ReadOnlySpan<long> keys = Stream.Take();
            bool samples = _samples;
            _work(worker, samples ? Sample(worker, keys) : keys);
            Volatile.Write(ref _done.Value, _done.Value + keys.Length);
            _hasSampled = samples;
        }

        Finish(worker);
    }

    // By itself, so that only the first operation of a chunk knows of it; a thousandth of them all.
    private ReadOnlySpan<long> Sample(IWorker worker, ReadOnlySpan<long> keys)
    {
        ReadOnlySpan<long> first = keys[..Math.Min(worker.CallLength, keys.Length)];
        if (worker.TryWatchNext(Latencies))
        {
            _work(worker, first);
        }
        else
        {
            long start = Stopwatch.GetTimestamp();
            _work(worker, first);
            Latencies.Record(Stopwatch.GetTimestamp() - start);
        }

        return keys[first.Length..];
    }

    /// <summary>A count on a cache line of its own, so that counting threads do not slow each other down.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 128)]
    private struct PaddedCount
    {
        [FieldOffset(64)]
        public long Value;
    }
}
