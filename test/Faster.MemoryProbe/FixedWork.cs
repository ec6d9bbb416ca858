namespace Faster.MemoryProbe;

/// <summary>Updates of uniformly random keys of 8 bytes with values of 8 bytes.</summary>
internal sealed class FixedWork : IWork
{
    private readonly Random _random = new(1);
    private readonly Sums.Store _store;
    private readonly Sums.Session _session;
    private readonly long _keys;

    private FixedWork(Sums.Store store, long keys)
    {
        _store = store;
        _session = store.StartSession();
        _keys = keys;
    }

    public StoreStatistics Statistics => _store.Statistics;

    public static async Task<IWork> OpenAsync(string folder, StoreOptions options, long keys) =>
        new FixedWork(await Sums.OpenAsync(folder, options), keys);

    public void Step()
    {
        for (int i = 0; i < 1_000; i++)
        {
            long key = _random.NextInt64(_keys);
            Status status = i % 500 == 0 ? _session.Rmw(key, 1) : _session.Upsert(key, i);
            if (status == Status.Pending && _session.PendingCount >= 64) _session.CompletePending(wait: true);
        }

        _session.CompletePending(wait: true);
    }

    public async ValueTask DisposeAsync()
    {
        await _session.DisposeAsync();
        await _store.DisposeAsync();
    }
}
