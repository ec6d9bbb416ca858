namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>What a store does to its log and its index while operations go on, as a seed decides.</summary>
/// <remarks>One thread does them, one after another; any may look how many are done.</remarks>
internal sealed class Chores<TKey, TValue>(
    FasterStoreUnderTest<TKey, TValue> store, DoomedKeys<TKey, TValue> doomed, SteadyKeys<TKey, TValue> steady,
    int seed)
    where TKey : notnull
{
    private readonly Random _random = new(seed);
    private volatile int _done;

    /// <summary>How many are done; all that are ever waited for once a chore has failed.</summary>
    public int Done => _done;

    /// <summary>Does some of them.</summary>
    public async Task DoAsync(int count)
    {
        try
        {
            for (int i = 0; i < count; i++)
            {
                await DoOneAsync();
                _done++;
            }
        }
        catch
        {
            _done = int.MaxValue;
            throw;
        }
    }

    /// <summary>Truncates what is left to truncate.</summary>
    public async Task FinishAsync()
    {
        while (!doomed.AreGone) await doomed.TruncateNextAsync(store);
    }

    // The index is halved, then doubled, in any case; what comes later may be refused.
    private Task DoOneAsync()
    {
        if (_done < 2) return store.ResizeAsync(grow: _done == 1);
        double fraction = _random.NextDouble(); // always drawn, so that what comes later does not depend on it
        var kind = (CommitKind)_random.Next(3);
        bool withIndex = _random.Next(3) == 0;
        switch (_random.Next(10))
        {
            case 0 or 1:
                return store.ResizeAsync(grow: true);
            case 2 or 3:
                return store.ResizeAsync(grow: false);
            case 4 or 5:
                return store.CommitAsync(kind, withIndex);
            case 6:
                return steady.ScanAsync(store);
            default:
                return doomed.AreGone ? CompactAsync(fraction) : doomed.TruncateNextAsync(store);
        }
    }

    private Task<CompactionResult> CompactAsync(double fraction)
    {
        StoreStatistics log = store.Statistics;
        long length = log.TailAddress - log.BeginAddress;
        return store.CompactAsync(log.BeginAddress + (long)(length * (0.5 + (fraction / 2))));
    }
}
