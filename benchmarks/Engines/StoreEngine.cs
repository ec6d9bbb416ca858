using Faster.Workload;

namespace Faster.Workload.Engines;

/// <summary>A generated store with its log in memory.</summary>
internal sealed class StoreEngine : IEngine
{
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    private readonly Numbers.Store _store;
    private readonly string _name;

    /// <summary>Wraps a store.</summary>
    /// <param name="store">The store.</param>
    /// <param name="name">One of <see cref="StoreNames"/>: how it is used.</param>
    public StoreEngine(Numbers.Store store, string name)
    {
        _store = store;
        _name = name;
    }

    /// <summary>Opens an empty store.</summary>
    /// <param name="keys">How many keys it will hold.</param>
    /// <param name="name">One of <see cref="StoreNames"/>: how it is used.</param>
    public static async Task<IEngine> OpenAsync(long keys, string name)
    {
        StoreOptions options = NumbersOptions.For(keys) with { PopulateMemory = name == StoreNames.Populated };
        if (name == StoreNames.Expiring)
            options = options with { TimeToLive = Hour };
        Numbers.Store store = await Numbers.OpenAsync(null, options);
        if (name == StoreNames.Beside)
        {
            using Numbers.Session other = store.StartSession();
            other.TimeToLive = Hour;
        }

        return new StoreEngine(store, name);
    }

    /// <inheritdoc/>
    public long? MemoryBytes => StoreMemory.Of(_store.Statistics);

    /// <inheritdoc/>
    public IWorker StartWorker() => _name switch
    {
        StoreNames.Batch => new BatchWorker<NumberSession>(new(_store.StartSession())),
        StoreNames.Prefetch => new PrefetchWorker(_store.StartSession()),
        _ => new SingleWorker<NumberSession>(new(_store.StartSession())),
    };

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _store.DisposeAsync();
}
