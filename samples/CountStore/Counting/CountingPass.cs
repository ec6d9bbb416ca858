using CountStore.Input;

namespace CountStore.Counting;

/// <summary>One pass over an input: a thread for each worker, each taking batches until there are none.</summary>
internal sealed class CountingPass
{
    private readonly int _threads;
    private readonly Func<int, CancellationToken, IKeyReader> _openReader;
    private readonly Func<int, ICountWorker> _startWorker;
    private long _keysCounted;
    private long _keysPassed;

    private CountingPass(
        int threads, Func<int, CancellationToken, IKeyReader> openReader, Func<int, ICountWorker> startWorker) =>
        (_threads, _openReader, _startWorker) = (threads, openReader, startWorker);

    /// <summary>How many keys were counted so far, by earlier runs too.</summary>
    public long KeysCounted => Interlocked.Read(ref _keysCounted);

    /// <summary>How many of them earlier runs have counted.</summary>
    public long KeysPassed => Interlocked.Read(ref _keysPassed);

    /// <summary>A pass whose threads take what comes.</summary>
    public static CountingPass Freely(IInput input, ICounter counter, int threads) =>
        new(threads, (_, _) => input.OpenReader(), _ => counter.StartWorker());

    /// <summary>
    /// A pass whose threads have a fixed share each, of which they pass over what earlier runs have counted.
    /// </summary>
    public static CountingPass InShares(IInput input, StoreCounter counter, int shares) =>
        new(shares, (share, stop) => input.OpenShare(share, shares, stop), share => counter.StartShare(share, shares));

    /// <summary>
    /// Counts the input to its end. The first thread that fails stops the others, and its error is thrown.
    /// </summary>
    public async Task RunAsync(CancellationToken cancellation)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        Task[] workers = [.. Enumerable.Range(0, _threads).Select(at => Task.Factory.StartNew(
            () => Work(at, stop), stop.Token, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        try
        {
            await Task.WhenAll(workers);
        }
        catch (Exception)
        {
            cancellation.ThrowIfCancellationRequested();
            if (workers.FirstOrDefault(worker => worker.IsFaulted) is { } failed) await failed;
            throw;
        }
    }

    private void Work(int at, CancellationTokenSource stop)
    {
        try
        {
            using IKeyReader reader = _openReader(at, stop.Token);
            using ICountWorker worker = _startWorker(at);
            Count(reader, worker, stop.Token);
            worker.Finish();
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            stop.Cancel();
            throw;
        }
    }

    private void Count(IKeyReader reader, ICountWorker worker, CancellationToken stop)
    {
        KeyBatch batch = new();
        long left = worker.KeysCounted;
        while (reader.TryRead(batch))
        {
            stop.ThrowIfCancellationRequested();
            int passed = (int)Math.Min(left, batch.Count);
            if (passed > 0) worker.Pass(batch, passed, worker.KeysCounted - left);
            left -= passed;
            Interlocked.Add(ref _keysPassed, passed);
            if (passed < batch.Count) worker.Count(batch, passed);
            Interlocked.Add(ref _keysCounted, batch.Count);
        }

        if (left > 0)
        {
            throw new InputException(
                $"The input ends {left:N0} keys before the place up to which an earlier run has counted it: it is not "
                + "the same input. Count it from its start, in a new folder.");
        }
    }
}
