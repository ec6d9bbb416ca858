using Faster.DurableTask.Partitions;
using Faster.DurableTask.Records;
using Microsoft.Extensions.Logging;

namespace Faster.DurableTask.Hubs;

/// <summary>
/// The open partitions of a hub, and what they share: the queues of the dispatchers and the callers that wait. A
/// partition that fails is opened again, at its last commit.
/// </summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class Hub : IAsyncDisposable
{
    private static readonly TimeSpan ReopenPause = TimeSpan.FromSeconds(1);

    private readonly string? _folder;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _lock = new();
    private Task<Partition>[] _partitions = [];
    private List<Task> _reopening = [];
    private Guid _id;

    private Hub(string? folder, DurableHubOptions options)
    {
        (_folder, Options) = (folder, options);
        Log = new HubLog(options.LoggerFactory.CreateLogger("Faster.DurableTask"));
    }

    public DurableHubOptions Options { get; }

    public HubLog Log { get; }

    public Waiters Waiters { get; } = new();

    public WorkQueue<Instance> Orchestrations { get; } = new();

    public WorkQueue<Instance> Entities { get; } = new();

    public WorkQueue<(Partition Partition, Item Item)> Activities { get; } = new();

    /// <summary>The number of partitions.</summary>
    public int Count => _partitions.Length;

    /// <summary>Whether nothing is ever durable.</summary>
    public bool IsInMemory => _folder is null;

    /// <summary>Opens a hub, or creates it.</summary>
    /// <exception cref="StoreOpenException">A partition can't be opened, or they are not of one time.</exception>
    public static async Task<Hub> OpenAsync(string? folder, DurableHubOptions options)
    {
        Hub hub = new(folder, options);
        try
        {
            await hub.OpenAsync().ConfigureAwait(false);
            return hub;
        }
        catch
        {
            await hub.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>
    /// The partition of an instance: the upper half of the id's hash, times the number of partitions, without its lower
    /// half. Part of the format.
    /// </summary>
    public int PartitionOf(string id)
    {
        // FNV-1a over the UTF-16 units, and a last mixing.
        ulong hash = 14695981039346656037;
        foreach (char unit in id) hash = (hash ^ unit) * 1099511628211;
        hash ^= hash >> 32;
        hash *= 0x9E3779B97F4A7C15;
        return (int)(((hash >> 32) * (ulong)Count) >> 32);
    }

    /// <summary>The partition of a number, when it is open.</summary>
    public Task<Partition> PartitionAsync(int number)
    {
        ObjectDisposedException.ThrowIf(_stop.IsCancellationRequested, this);
        lock (_lock) return _partitions[number];
    }

    /// <summary>The partition of an instance, when it is open.</summary>
    public Task<Partition> PartitionAsync(string id) => PartitionAsync(PartitionOf(id));

    /// <summary>The partitions that are open now.</summary>
    public IEnumerable<Partition> Open()
    {
        Task<Partition>[] partitions;
        lock (_lock) partitions = [.. _partitions];
        return partitions.Where(static partition => partition.IsCompletedSuccessfully)
            .Select(static partition => partition.Result);
    }

    /// <summary>The queue in which an instance waits.</summary>
    public WorkQueue<Instance> QueueOf(bool isEntity) =>
        isEntity && Options.SeparateEntities ? Entities : Orchestrations;

    /// <summary>Runs something after a while, unless the hub is closed.</summary>
    public void Later(TimeSpan pause, Action action) => _ = Task.Run(async () =>
    {
        await PauseAsync(pause).ConfigureAwait(false);
        if (!_stop.IsCancellationRequested) action();
    });

    /// <summary>Waits a while; not so long if the hub closes.</summary>
    public async Task PauseAsync(TimeSpan pause)
    {
        try
        {
            await Task.Delay(pause, Options.TimeProvider, _stop.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The caller sees that everything is closed.
        }
    }

    /// <summary>The error of two partitions of which one has gone back in time.</summary>
    public StoreOpenException OutOfStep(int sender, int receiver, long first, long received) => new(
        $"Partitions {sender} and {receiver} of the hub {_folder} are not of one time: {sender} has messages for "
        + $"{receiver} from number {first} on, and {receiver} has received them up to {received}. One was restored "
        + "from a backup, or opened at an older commit, and the other was not. Restore the whole hub.");

    /// <summary>Opens a partition again that has failed.</summary>
    public void OnFailed(Partition partition, Exception failure)
    {
        Log.Failed(partition.Number, failure);
        lock (_lock)
        {
            if (_stop.IsCancellationRequested) return;
            Task<Partition> opening = Task.Run(() => ReopenAsync(partition));
            _partitions[partition.Number] = opening;
            _reopening = [.. _reopening.Where(static task => !task.IsCompleted), opening];
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        Task[] reopening;
        lock (_lock)
        {
            if (_stop.IsCancellationRequested) return;
            _stop.Cancel();
            reopening = [.. _reopening];
        }

        Waiters.Close(new ObjectDisposedException(nameof(FasterOrchestrationService), "The hub was closed."));
        foreach (Task task in reopening) await task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        List<Exception> failures = [];
        await Task.WhenAll(Open().Select(async partition =>
        {
            try
            {
                await partition.DisposeAsync().ConfigureAwait(false);
            }
            catch (Exception e)
            {
                lock (failures) failures.Add(e);
            }
        })).ConfigureAwait(false);
        if (failures.Count > 0) throw failures.Count == 1 ? failures[0] : new AggregateException(failures);
    }

    private async Task OpenAsync()
    {
        (PartitionStore.Store Store, PartitionStore.Session Writer, HeaderRecord? Header) first =
            await Partition.OpenAsync(FolderOf(0), StoreOptions()).ConfigureAwait(false);
        int count = first.Header?.Count ?? Math.Max(1, Options.Partitions);
        _id = first.Header?.Hub ?? Guid.NewGuid();
        _partitions = [.. Enumerable.Repeat(
            Task.FromException<Partition>(new ObjectDisposedException(nameof(Hub))), count)];
        if (Options.Partitions != 0 && Options.Partitions != count)
        {
            await first.Store.DisposeAsync().ConfigureAwait(false);
            throw new StoreOpenException(
                $"The hub {_folder} has {count} partitions, which is fixed; {Options.Partitions} were asked for.");
        }

        // The first one last: if it has a header, the hub was created as a whole.
        bool isNew = first.Header is null;
        try
        {
            await Task.WhenAll(Enumerable.Range(1, count - 1).Select(number => StartAsync(number, isNew)))
                .ConfigureAwait(false);
        }
        catch
        {
            await first.Store.DisposeAsync().ConfigureAwait(false);
            throw;
        }

        _partitions[0] = Task.FromResult(await Partition.StartAsync(
            this, first.Header ?? NewHeader(0), first.Store, first.Writer, isNew).ConfigureAwait(false));
        Partition[] all = [.. Open()];
        CheckPairs(all);
        foreach (Partition partition in all) partition.Resume();
    }

    private async Task StartAsync(int number, bool isNew)
    {
        if (!isNew) CheckFolder(number);
        var (store, writer, header) = await Partition.OpenAsync(FolderOf(number), StoreOptions()).ConfigureAwait(false);
        string? fault = header switch
        {
            null when !isNew => "has no header: its folder is lost or empty",
            { Sequence: > 0 } when isNew => "has been used, and partition 0 has not",
            not null when !isNew && (header.Hub != _id || header.Number != number || header.Count != Count) =>
                $"is number {header.Number} of {header.Count} of another hub",
            _ => null,
        };
        if (fault is not null)
        {
            await store.DisposeAsync().ConfigureAwait(false);
            throw new StoreOpenException(
                $"Partition {number} of the hub {_folder} {fault}. Restore the whole hub from a backup.");
        }

        HeaderRecord kept = isNew ? NewHeader(number) with { Step = header?.Step ?? 0 } : header!;
        _partitions[number] = Task.FromResult(
            await Partition.StartAsync(this, kept, store, writer, isNew).ConfigureAwait(false));
    }

    // Each has received what the other has been acknowledged, and no more than it has sent.
    private void CheckPairs(Partition[] all)
    {
        foreach (Partition sender in all)
        {
            foreach (Partition receiver in all)
            {
                long received = receiver.Peer(sender.Number).Received, sent = sender.Peer(receiver.Number).Sent;
                long first = sender.FirstUnacknowledged(receiver.Number);
                if (received > sent || received < first - 1)
                    throw OutOfStep(sender.Number, receiver.Number, first, received);
            }
        }
    }

    private async Task<Partition> ReopenAsync(Partition failed)
    {
        await failed.DisposeAsync().ConfigureAwait(false);
        while (true)
        {
            try
            {
                _stop.Token.ThrowIfCancellationRequested();
                CheckFolder(failed.Number);
                var (store, writer, header) = await Partition.OpenAsync(
                    FolderOf(failed.Number), StoreOptions()).ConfigureAwait(false);
                Partition partition = await Partition.StartAsync(
                    this, header ?? NewHeader(failed.Number), store, writer, header is null).ConfigureAwait(false);
                partition.Resume();
                Log.Reopened(failed.Number);
                _ = Task.Run(NotifyAsync);
                return partition;
            }
            catch (FasterException e)
            {
                Log.ReopenFailed(failed.Number, e);
                await PauseAsync(ReopenPause).ConfigureAwait(false);
            }
        }
    }

    // An instance may have ended whose callers were not told.
    private async Task NotifyAsync()
    {
        foreach (string id in Waiters.Ids())
        {
            try
            {
                Partition partition = await PartitionAsync(id).ConfigureAwait(false);
                if (await partition.GetRecordAsync(id).ConfigureAwait(false) is { IsOver: true } record)
                    Waiters.Notify(id, record.State);
            }
            catch (Exception e) when (e is FasterException or ObjectDisposedException)
            {
                return; // it has failed again
            }
        }
    }

    // Opening would create it.
    private void CheckFolder(int number)
    {
        if (FolderOf(number) is { } folder && !Directory.Exists(folder))
            throw new StoreOpenException($"The folder {folder} of a partition is gone. Put it back.");
    }

    private HeaderRecord NewHeader(int number) => new(
        _id, number, Count, Incarnation: 1, Step: 0, Slots: 0, Sequence: 0, Time: DateTime.UnixEpoch);

    private string? FolderOf(int number) => _folder is null ? null : Path.Combine(_folder, $"p{number}");

    private StoreOptions StoreOptions() => Options.Store with { TimeProvider = Options.TimeProvider };
}
