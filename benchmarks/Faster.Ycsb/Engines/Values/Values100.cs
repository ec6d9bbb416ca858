using Faster.Workload;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines.Awaited;
using Faster.Ycsb.Engines.HotRing;
using Faster.Ycsb.Engines.Tiered;

namespace Faster.Ycsb.Engines.Values;

/// <summary>A store of values of 100 bytes whose first eight are a sum.</summary>
[Store(Also = [typeof(TieredEngine), typeof(HotRingEngine)])]
internal static partial class Values100
{
    /// <summary>Opens it as an engine.</summary>
    public static async Task<IEngine> OpenEngineAsync(string? folder, StoreOptions options, int batchLength)
    {
        Store store = await OpenAsync(folder, options);
        return new StoreValueEngine<Client, Bytes100>(
            () => new Client(store.StartSession()), () => store.Statistics, store.CompactAsync, store.DisposeAsync,
            batchLength);
    }

    /// <summary>Opens a store of two tiers.</summary>
    public static async Task<IEngine> OpenEngineAsync(string folder, TieredOptions options, int batchLength)
    {
        TieredStore store = await TieredStore.OpenAsync(folder, options);
        return new TieredValueEngine<TieredClient, Bytes100>(
            () => new TieredClient(store.StartSession()), () => store.Statistics, store.DisposeAsync, batchLength);
    }

    /// <summary>Opens it as an engine whose writes are waited for.</summary>
    public static async Task<IDurableEngine> OpenAwaitedAsync(string folder, StoreOptions options)
    {
        Store store = await OpenAsync(folder, options);
        return new AwaitedEngine<Client, Bytes100>(
            () => new Client(store.StartSession()), () => store.Statistics, store.DisposeAsync);
    }

    /// <summary>Opens a store of two tiers whose writes are waited for.</summary>
    public static async Task<IDurableEngine> OpenAwaitedAsync(string folder, TieredOptions options)
    {
        TieredStore store = await TieredStore.OpenAsync(folder, options);
        return new AwaitedEngine<TieredClient, Bytes100>(
            () => new TieredClient(store.StartSession()), () => store.Statistics, store.DisposeAsync);
    }

    /// <summary>Opens a store of rings.</summary>
    public static async Task<IEngine> OpenEngineAsync(HotRingOptions options, int batchLength)
    {
        HotRingStore store = await HotRingStore.OpenAsync(options);
        return new ValueEngine<RingClient, Bytes100>(
            () => new RingClient(store.StartSession()), () => store.Statistics.MemoryBytes,
            store.DisposeAsync, batchLength);
    }

    [InitialUpdater]
    private static void Start(long key, long amount, ref Bytes100 value) => ValueWord.Set(ref value, amount);

    [InPlaceUpdater]
    private static void Add(long key, long amount, ref Bytes100 value) =>
        ValueWord.Set(ref value, ValueWord.Of(ref value) + amount);

    [CopyUpdater]
    private static void Copy(long key, long amount, Bytes100 old, ref Bytes100 value)
    {
        value = old;
        Add(key, amount, ref value);
    }

    [CompletionCallback]
    private static void Done(Status status, ReadSink? sink, Bytes100 output, Exception? error) =>
        sink?.End(status, ValueWord.Of(ref output), error);

    private readonly struct Client(Session session) : IAwaitedSession<Bytes100>
    {
        public ValueTask<Status> UpsertAsync(long key, Bytes100 value) => session.UpsertAsync(key, value);

        public Status Read(long key, out Bytes100 value, ReadSink sink) => session.Read(key, out value, sink);

        public void Read(ReadOnlySpan<long> keys, Span<ReadResult<Bytes100>> results) => session.Read(keys, results);

        public Status Upsert(long key, in Bytes100 value, ReadSink sink) => session.Upsert(key, value, sink);

        public void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<Bytes100> values) => session.Upsert(keys, values);

        public Status Rmw(long key, long amount, ReadSink sink) => session.Rmw(key, amount, sink);

        public void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> amounts) => session.Rmw(keys, amounts);

        public bool CompletePending(bool wait) => session.CompletePending(wait);

        public void Dispose() => session.Dispose();
    }

    private readonly struct TieredClient(TieredSession session) : IAwaitedSession<Bytes100>
    {
        public ValueTask<Status> UpsertAsync(long key, Bytes100 value) => session.UpsertAsync(key, value);

        public Status Read(long key, out Bytes100 value, ReadSink sink) => session.Read(key, out value, sink);

        public void Read(ReadOnlySpan<long> keys, Span<ReadResult<Bytes100>> results) => session.Read(keys, results);

        public Status Upsert(long key, in Bytes100 value, ReadSink sink) => session.Upsert(key, value, sink);

        public void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<Bytes100> values) => session.Upsert(keys, values);

        public Status Rmw(long key, long amount, ReadSink sink) => session.Rmw(key, amount, sink);

        public void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> amounts) => session.Rmw(keys, amounts);

        public bool CompletePending(bool wait) => session.CompletePending(wait);

        public void Dispose() => session.Dispose();
    }

    private readonly struct RingClient(HotRingSession session) : IValueSession<Bytes100>
    {
        public Status Read(long key, out Bytes100 value, ReadSink sink) => session.Read(key, out value, sink);

        public void Read(ReadOnlySpan<long> keys, Span<ReadResult<Bytes100>> results) => session.Read(keys, results);

        public Status Upsert(long key, in Bytes100 value, ReadSink sink) => session.Upsert(key, value, sink);

        public void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<Bytes100> values) => session.Upsert(keys, values);

        public Status Rmw(long key, long amount, ReadSink sink) => session.Rmw(key, amount, sink);

        public void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> amounts) => session.Rmw(keys, amounts);

        public bool CompletePending(bool wait) => true; // none is ever pending

        public void Dispose() => session.Dispose();
    }
}
