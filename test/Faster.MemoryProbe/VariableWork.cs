namespace Faster.MemoryProbe;

/// <summary>Updates of uniformly random keys with values of 50 to 450 bytes.</summary>
internal sealed class VariableWork : IWork
{
    private readonly Random _random = new(1);
    private readonly Blobs.Store _store;
    private readonly Blobs.Session _session;
    private readonly byte[] _value = new byte[450];
    private readonly long _keys;

    private VariableWork(Blobs.Store store, long keys)
    {
        _store = store;
        _session = store.StartSession();
        _keys = keys;
        _random.NextBytes(_value);
    }

    public StoreStatistics Statistics => _store.Statistics;

    public static async Task<IWork> OpenAsync(string folder, StoreOptions options, long keys) =>
        new VariableWork(await Blobs.OpenAsync(folder, options), keys);

    public void Step()
    {
        Span<byte> key = stackalloc byte[20];
        key.Clear();
        for (int i = 0; i < 1_000; i++)
        {
            BitConverter.TryWriteBytes(key, _random.NextInt64(_keys));
            ReadOnlySpan<byte> value = _value.AsSpan(0, _random.Next(50, 450));
            Status status = i % 500 == 0 ? _session.Rmw(key, value) : _session.Upsert(key, value);
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
