namespace Faster.DurableTask.Partitions;

/// <summary>
/// Makes steps durable: commits the store, one time after another, as long as something waits for it. So one commit
/// carries all steps of the time that the one before it took.
/// </summary>
/// <remarks>Thread-safe. The loop is one task; while nothing waits it takes neither a thread nor time.</remarks>
internal sealed class CommitLoop : IDisposable
{
    private static readonly TimeSpan RetryPause = TimeSpan.FromMilliseconds(100);

    private readonly Partition _partition;
    private readonly PartitionStore.Store _store;
    private readonly bool _isInMemory;
    private readonly SemaphoreSlim _wake = new(0, 1);
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _loop;
    private int _isAwake;
    private long _commits;

    public CommitLoop(Partition partition, PartitionStore.Store store, bool isInMemory)
    {
        (_partition, _store, _isInMemory) = (partition, store, isInMemory);
        _loop = Task.Run(LoopAsync);
    }

    /// <summary>The number of commits.</summary>
    public long Commits => Interlocked.Read(ref _commits);

    /// <summary>Asks for a commit that begins from now on.</summary>
    public void Wake()
    {
        if (Interlocked.Exchange(ref _isAwake, 1) == 0) _wake.Release();
    }

    /// <summary>Ends the loop, after the commit that is under way.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _loop.ConfigureAwait(false);
        Dispose();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _wake.Dispose();
        _stop.Dispose();
    }

    private async Task LoopAsync()
    {
        try
        {
            while (!_partition.IsClosed)
            {
                await _wake.WaitAsync(_stop.Token).ConfigureAwait(false);
                Volatile.Write(ref _isAwake, 0); // before the commit begins: who wakes it later, needs another one
                await CommitAsync().ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            // The partition closes, and commits a last time.
        }
        catch (Exception e)
        {
            _partition.Fail(e);
        }
    }

    private async Task CommitAsync()
    {
        if (_isInMemory)
        {
            _partition.OnDurable(_partition.WrittenPosition());
            return;
        }

        try
        {
            Commit commit = await _store.CommitAsync().ConfigureAwait(false);
            Interlocked.Increment(ref _commits);
            foreach (CommitPoint point in commit.Points)
            {
                if (point.SessionName == PartitionStore.Writer) _partition.OnDurable(point.SerialNumber);
            }
        }
        catch (StorageException e) when (e.MayRetry)
        {
            // Nothing is lost, and nothing is let out: the next commit covers what this one would have.
            _partition.Hub.Log.CommitFailed(_partition.Number, e);
            await Task.Delay(RetryPause, _stop.Token).ConfigureAwait(false);
            Wake();
        }
    }
}
