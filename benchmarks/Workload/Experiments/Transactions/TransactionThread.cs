using System.Diagnostics;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>A thread that runs transactions on the engine whose turn it is.</summary>
internal sealed class TransactionThread
{
    private const int Part = 64; // transactions between two looks at the turn, of which one is timed

    private readonly IReadOnlyList<ITransactionEngine> _engines;
    private readonly TransactionStream _stream;
    private readonly int _keys;
    private readonly Turn _turn;
    private readonly long[] _done, _updates;
    private readonly GuardedThread _thread;

    /// <summary>Makes the thread, not started yet.</summary>
    public TransactionThread(
        IReadOnlyList<ITransactionEngine> engines, TransactionStream stream, int keys, Turn turn)
    {
        (_engines, _stream, _keys, _turn) = (engines, stream, keys, turn);
        const int Padding = 16; // in front, so that the counts share no cache line with another thread's
        _done = new long[Padding + engines.Count];
        _updates = new long[engines.Count];
        FirstCount = Padding;
        _thread = new GuardedThread(Work);
    }

    /// <summary>The times of transactions of the first engine; to be looked at when it has stopped.</summary>
    public LatencyHistogram Latencies { get; } = new();

    /// <summary>Whether times are taken.</summary>
    public bool IsMeasured { get; set; }

    private int FirstCount { get; }

    /// <summary>Starts to work.</summary>
    public void Start() => _thread.Start();

    /// <summary>Waits until it has stopped, and rethrows what it failed with.</summary>
    public void Join() => _thread.Join();

    /// <summary>Whether it has stopped, by request or because it failed.</summary>
    public bool HasEnded => !_thread.IsRunning;

    /// <summary>How many transactions an engine has committed; any thread may ask at any time.</summary>
    public long DoneFor(int engine) => Volatile.Read(ref _done[FirstCount + engine]);

    /// <summary>How many keys it has updated; to be looked at when it has stopped.</summary>
    public long UpdatesFor(int engine) => _updates[engine];

    private void Work()
    {
        ITransactionWorker[] workers = [.. _engines.Select(engine => engine.StartTransactions())];
        try
        {
            while (_turn.TryGet(out int engine))
            {
                long start = Stopwatch.GetTimestamp();
                Run(workers[engine], engine, 1);
                if (engine == 0 && IsMeasured) Latencies.Record(Stopwatch.GetTimestamp() - start);
                Run(workers[engine], engine, Part - 1);
            }
        }
        finally
        {
            foreach (ITransactionWorker worker in workers) worker.Dispose();
        }
    }

    // Slow engines look at the turn after each transaction: a part would be longer than a slice.
    private void Run(ITransactionWorker worker, int engine, int count)
    {
        long missing = 0, updates = 0, end = Stopwatch.GetTimestamp() + (Stopwatch.Frequency / 1000);
        int done = 0;
        for (; done < count && ((done & 7) != 7 || Stopwatch.GetTimestamp() < end); done++)
        {
            _stream.Take(out ReadOnlySpan<long> reads, out ReadOnlySpan<long> updated);
            missing -= worker.Run(reads, updated, _keys);
            foreach (long key in reads) missing += key;
            updates += updated.Length;
        }

        if (missing % _keys != 0)
            throw new WrongAnswerException("Values that were read belong to other keys than those asked for.");
        _updates[engine] += updates;
        Volatile.Write(ref _done[FirstCount + engine], DoneFor(engine) + done);
    }
}
