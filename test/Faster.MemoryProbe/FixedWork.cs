namespace Faster.MemoryProbe;

/// <summary>Updates of uniformly random keys of 8 bytes with values of 8 bytes.</summary>
internal sealed class FixedWork : IWork
{
    private readonly Sums.Store _store;
    private readonly Sums.Session _session;
    private readonly long _keys;
    private ulong _state = 1;

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
            _state = (_state * 6_364_136_223_846_793_005) + 1_442_695_040_888_963_407; // the generator costs little
            long key = (long)Math.BigMul(_state, (ulong)_keys, out _);
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
