using System.Diagnostics;

namespace Faster.Workload.Writes;

/// <summary>
/// A client that writes until it is told to stop: a thread whose calls wait, or an awaiting session without a thread.
/// </summary>
internal sealed class WriteSession
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(1);

    private readonly IDurableEngine _engine;
    private readonly WriteShape _shape;
    private Task _work = Task.CompletedTask;
    private long _done;
    private volatile bool _isMeasured;
    private volatile bool _stop;

    /// <summary>Makes the client, not started yet.</summary>
    public WriteSession(IDurableEngine engine, WriteShape shape, KeyStream stream)
    {
        (_engine, _shape) = (engine, shape);
        Stream = stream;
    }

    /// <summary>Its keys.</summary>
    public KeyStream Stream { get; }

    /// <summary>How many writes were acknowledged; any thread may ask at any time.</summary>
    public long Done => Volatile.Read(ref _done);

    /// <summary>Whether it has stopped, by request or because it failed.</summary>
    public bool HasEnded => _work.IsCompleted;

    /// <summary>The times of calls that ended while measured; to be looked at when it has stopped.</summary>
    public LatencyHistogram Latencies { get; } = new();

    /// <summary>How many writes an awaiting session may have begun by now; without it, as many as it can.</summary>
    public Func<long> Allowed { get; init; } = () => long.MaxValue;

    /// <summary>Starts to work.</summary>
    public void Start() => _work = _shape.Form == WriteForm.Awaited
        ? Task.Run(PumpAsync)
        : Task.Factory.StartNew(
            Write, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>Starts or stops to take times.</summary>
    public void Measure(bool isMeasured) => _isMeasured = isMeasured;

    /// <summary>Asks it to stop when what is under way is durable.</summary>
    public void RequestStop() => _stop = true;

    /// <summary>Waits until it has stopped, and rethrows what it failed with.</summary>
    public Task JoinAsync() => _work;

    private void Write()
    {
        using IWorker worker = _engine.StartWorker();
        while (!_stop)
        {
            ReadOnlySpan<long> keys = Stream.Take(_shape.Each);
            long start = Stopwatch.GetTimestamp();
            worker.Upsert(keys, AnswerCheck.Updated);
            Count(start, keys.Length);
        }
    }

    private async Task PumpAsync()
    {
        int depth = _shape.Each;
        using IAwaitedWriter writer = _engine.StartAwaitedWriter(depth);
        long[] starts = new long[depth];
        long begun = 0, ended = 0;
        while (!_stop)
        {
            if (begun - ended == depth)
                await EndAsync((int)(ended++ % depth));
            if (begun >= Allowed())
            {
                await Task.Delay(Pause);
                continue;
            }

            int slot = (int)(begun++ % depth);
            starts[slot] = Stopwatch.GetTimestamp();
            writer.Begin(slot, Stream.Take(1)[0], AnswerCheck.Updated);
        }

        while (ended < begun)
            await EndAsync((int)(ended++ % depth));

        async ValueTask EndAsync(int slot)
        {
            await writer.EndAsync(slot);
            Count(starts[slot], 1);
        }
    }

    private void Count(long start, int writes)
    {
        if (_isMeasured)
            Latencies.Record(Stopwatch.GetTimestamp() - start);
        Volatile.Write(ref _done, _done + writes);
    }
}
