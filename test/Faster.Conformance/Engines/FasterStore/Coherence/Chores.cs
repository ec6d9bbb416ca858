using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Maintenance of a store's log and index beside operations, as a seed decides.</summary>
/// <remarks>One thread runs them, one after another; any thread may read <see cref="Done"/>.</remarks>
internal sealed class Chores<TKey, TValue>(
    FasterStoreUnderTest<TKey, TValue> store, DoomedKeys<TKey, TValue> doomed, SteadyKeys<TKey, TValue> steady,
    int seed)
    where TKey : notnull
{
    private readonly Random _random = new(seed);
    private volatile int _done;

    /// <summary>How many chores are done; once a chore has failed, as many as any thread waits for.</summary>
    public int Done => _done;

    /// <summary>Runs the next chores.</summary>
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

    /// <summary>Makes the truncations that are left.</summary>
    public async Task FinishAsync()
    {
        while (!doomed.AreGone) await doomed.TruncateNextAsync(store);
    }

    // The first halving and the first doubling always succeed; later ones may be refused.
    private Task DoOneAsync()
    {
        if (_done < 2) return store.ResizeAsync(grow: _done == 1);
        double fraction = _random.NextDouble(); // always drawn, so that later draws do not depend on it
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
