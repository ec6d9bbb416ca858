using CountStore.Input;

namespace CountStore.Counting;

/// <summary>One pass over an input: a thread for each worker, each taking batches until there are none.</summary>
internal sealed class CountingPass(IInput input, ICounter counter, int threads)
{
    private long _keysCounted;

    /// <summary>How many keys were counted so far.</summary>
    public long KeysCounted => Interlocked.Read(ref _keysCounted);

    /// <summary>
    /// Counts the input to its end. The first thread that fails stops the others, and its error is thrown.
    /// </summary>
    public async Task RunAsync(CancellationToken cancellation)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        Task[] workers = [.. Enumerable.Range(0, threads).Select(_ => Task.Factory.StartNew(
            () => Work(stop), stop.Token, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
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

    private void Work(CancellationTokenSource stop)
    {
        try
        {
            using IKeyReader reader = input.OpenReader();
            using ICountWorker worker = counter.StartWorker();
            KeyBatch batch = new();
            while (reader.TryRead(batch))
            {
                stop.Token.ThrowIfCancellationRequested();
                worker.Count(batch);
                Interlocked.Add(ref _keysCounted, batch.Count);
            }

            worker.Finish();
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            stop.Cancel();
            throw;
        }
    }
}
