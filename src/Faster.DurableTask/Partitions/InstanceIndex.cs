using DurableTask.Core;
using Faster.DurableTask.Records;

namespace Faster.DurableTask.Partitions;

/// <summary>
/// All instances of a partition, by id, with what queries select them by. Built in the background after opening, from a
/// scan; steps that come meanwhile go first.
/// </summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class InstanceIndex : IDisposable
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, Entry> _entries = [];
    private readonly CancellationTokenSource _stop = new();
    private HashSet<string>? _removed = [];
    private Task _built = Task.CompletedTask;

    /// <summary>How many instances are known.</summary>
    public int Count
    {
        get
        {
            lock (_lock) return _entries.Count;
        }
    }

    /// <summary>Begins to read what the store has.</summary>
    public void Build(PartitionStore.Store store) => _built = Task.Run(() => BuildAsync(store));

    /// <summary>Waits until the index is complete.</summary>
    public Task CompleteAsync(CancellationToken cancellationToken) => _built.WaitAsync(cancellationToken);

    /// <summary>Ends the reading.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _built.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Dispose();
    }

    /// <inheritdoc/>
    public void Dispose() => _stop.Dispose();

    /// <summary>Takes over what a step has written.</summary>
    public void Set(string id, OrchestrationState? state)
    {
        lock (_lock)
        {
            if (state is not null)
            {
                _entries[id] = new Entry(state);
                return;
            }

            _entries.Remove(id);
            _removed?.Add(id);
        }
    }

    /// <summary>The first ids behind one, in the order of ids, whose entries are wanted.</summary>
    /// <param name="after">The id behind which they begin; or null.</param>
    /// <param name="most">How many are wanted.</param>
    /// <param name="isWanted">Says which.</param>
    public List<string> Select(string? after, int most, Func<string, Entry, bool> isWanted)
    {
        // The greatest of those found so far is on top, and leaves when a smaller one is found.
        PriorityQueue<string, string> found = new(Comparer<string>.Create(
            static (a, b) => string.CompareOrdinal(b, a)));
        lock (_lock)
        {
            foreach ((string id, Entry entry) in _entries)
            {
                if (after is not null && string.CompareOrdinal(id, after) <= 0) continue;
                if (found.Count == most && string.CompareOrdinal(id, found.Peek()) >= 0) continue;
                if (!isWanted(id, entry)) continue;
                found.Enqueue(id, id);
                if (found.Count > most) found.Dequeue();
            }
        }

        List<string> ids = [.. found.UnorderedItems.Select(static item => item.Element)];
        ids.Sort(string.CompareOrdinal);
        return ids;
    }

    private async Task BuildAsync(PartitionStore.Store store)
    {
        await foreach (PartitionStore.Record record in store.ScanAsync(cancellationToken: _stop.Token)
            .ConfigureAwait(false))
        {
            if (!record.Key.StartsWith("i/", StringComparison.Ordinal) || record.Value is not { } bytes) continue;
            string id = record.Key[2..];
            Entry entry;
            try
            {
                entry = new Entry(InstanceRecord.Decode(bytes).State);
            }
            catch (InvalidDataException)
            {
                continue; // a call that needs the instance says so
            }

            lock (_lock)
            {
                if (!_removed!.Contains(id)) _entries.TryAdd(id, entry);
            }
        }

        lock (_lock) _removed = null;
    }

    /// <summary>What queries select an instance by.</summary>
    public readonly struct Entry(OrchestrationState state)
    {
        public OrchestrationStatus Status { get; } = state.OrchestrationStatus;

        public DateTime Created { get; } = state.CreatedTime;

        public DateTime Updated { get; } = state.LastUpdatedTime;

        public DateTime Completed { get; } = state.CompletedTime;
    }
}
