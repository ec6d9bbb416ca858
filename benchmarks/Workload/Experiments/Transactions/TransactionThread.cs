using System.Diagnostics;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>A thread that runs transactions, one after another or in groups.</summary>
internal sealed class TransactionThread : ITransactionClient
{
    private const int Part = 64; // transactions between two looks at the turn, of which one is timed

    private readonly IReadOnlyList<ITransactionEngine> _engines;
    private readonly TransactionStream _stream;
    private readonly int _keys, _group;
    private readonly Turn _turn;
    private readonly long[] _done, _updates;
    private readonly GuardedThread _thread;

    /// <summary>Makes the thread, not started yet.</summary>
    /// <param name="engines">The engines.</param>
    /// <param name="stream">The transactions.</param>
    /// <param name="keys">How many keys there are.</param>
    /// <param name="turn">Whose turn it is.</param>
    /// <param name="group">How many transactions are run as one that has the keys of all.</param>
    public TransactionThread(
        IReadOnlyList<ITransactionEngine> engines, TransactionStream stream, int keys, Turn turn, int group = 1)
    {
        (_engines, _stream, _keys, _turn, _group) = (engines, stream, keys, turn, group);
        const int Padding = 16; // in front, so that the counts share no cache line with another thread's
        _done = new long[Padding + engines.Count];
        _updates = new long[engines.Count];
        FirstCount = Padding;
        _thread = new GuardedThread(Work);
    }

    /// <inheritdoc/>
    public LatencyHistogram Latencies { get; } = new();

    /// <inheritdoc/>
    public bool IsMeasured { get; set; }

    /// <summary>What conflicts have cost; to be looked at when it has stopped.</summary>
    public ConflictCosts Conflicts { get; } = new();

    /// <summary>Whether each transaction of the first engine is timed, to see what conflicts cost.</summary>
    public bool TimesConflicts { get; set; }

    /// <summary>Whether each transaction is timed, not only one of many: where all of them are long.</summary>
    public bool TimesEach { get; init; }

    private int FirstCount { get; }

    /// <inheritdoc/>
    public void Start() => _thread.Start();

    /// <inheritdoc/>
    public void Join() => _thread.Join();

    /// <inheritdoc/>
    public bool HasEnded => !_thread.IsRunning;

    /// <inheritdoc/>
    public long DoneFor(int engine) => Volatile.Read(ref _done[FirstCount + engine]);

    /// <inheritdoc/>
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
                if (TimesConflicts && engine == 0) RunTimed(workers[engine]);
                else if (!TimesEach) Run(workers[engine], engine, Part - 1);
            }
        }
        finally
        {
            foreach (ITransactionWorker worker in workers) worker.Dispose();
        }
    }

    private void RunTimed(ITransactionWorker worker)
    {
        long start = Stopwatch.GetTimestamp(), met = worker.Conflicts ?? 0;
        for (int i = 0; i < Part; i++)
        {
            Run(worker, 0, 1);
            long now = Stopwatch.GetTimestamp(), conflicts = worker.Conflicts ?? 0;
            Conflicts.Count(now - start, conflicts != met);
            (start, met) = (now, conflicts);
        }
    }

    // Slow engines look at the turn after each transaction: a part would be longer than a slice.
    private void Run(ITransactionWorker worker, int engine, int count)
    {
        long missing = 0, updates = 0, end = Stopwatch.GetTimestamp() + (Stopwatch.Frequency / 1000);
        int done = 0;
        for (; done < count && ((done & 7) != 7 || Stopwatch.GetTimestamp() < end); done++)
        {
            _stream.Take(_group, out ReadOnlySpan<long> reads, out ReadOnlySpan<long> updated);
            missing -= worker.Run(reads, updated, _keys);
            foreach (long key in reads) missing += key;
            updates += updated.Length;
        }

        if (missing % _keys != 0)
            throw new WrongAnswerException("Values that were read belong to other keys than those asked for.");
        _updates[engine] += updates;
        Volatile.Write(ref _done[FirstCount + engine], DoneFor(engine) + (done * _group));
    }
}
