using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>A store of values of 1024 bytes whose first eight are a sum.</summary>
[Store]
internal static partial class Values1024
{
    /// <summary>Opens it as an engine.</summary>
    public static async Task<IEngine> OpenEngineAsync(string? folder, StoreOptions options, int batchLength)
    {
        Store store = await OpenAsync(folder, options);
        return new StoreValueEngine<Client, Bytes1024>(
            () => new Client(store.StartSession()), () => store.Statistics, store.CompactAsync, store.DisposeAsync,
            batchLength);
    }

    [InitialUpdater]
    private static void Start(long key, long amount, ref Bytes1024 value) => ValueWord.Set(ref value, amount);

    [InPlaceUpdater]
    private static void Add(long key, long amount, ref Bytes1024 value) =>
        ValueWord.Set(ref value, ValueWord.Of(ref value) + amount);

    [CopyUpdater]
    private static void Copy(long key, long amount, Bytes1024 old, ref Bytes1024 value)
    {
        value = old;
        Add(key, amount, ref value);
    }

    [CompletionCallback]
    private static void Done(Status status, ReadSink? sink, Bytes1024 output, Exception? error) =>
        sink?.End(status, ValueWord.Of(ref output), error);

    private readonly struct Client(Session session) : IValueSession<Bytes1024>
    {
        public Status Read(long key, out Bytes1024 value, ReadSink sink) => session.Read(key, out value, sink);

        public void Read(ReadOnlySpan<long> keys, Span<ReadResult<Bytes1024>> results) => session.Read(keys, results);

        public Status Upsert(long key, in Bytes1024 value, ReadSink sink) => session.Upsert(key, value, sink);

        public void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<Bytes1024> values) => session.Upsert(keys, values);

        public Status Rmw(long key, long amount, ReadSink sink) => session.Rmw(key, amount, sink);

        public void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> amounts) => session.Rmw(keys, amounts);

        public bool CompletePending(bool wait) => session.CompletePending(wait);

        public void Dispose() => session.Dispose();
    }
}
