using Faster.Workload;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Engines.HotRing;

/// <summary>
/// A store of values of 100 bytes whose first eight are a sum, on the engine HotRing: updates replace records (paper
/// 002 §3.2.2).
/// </summary>
[Store(Engine = typeof(HotRingEngine))]
internal static partial class RingValues100
{
    /// <summary>Opens it as an engine.</summary>
    public static async Task<IEngine> OpenEngineAsync(HotRingOptions options, int batchLength)
    {
        Store store = await OpenAsync(options);
        return new ValueEngine<Client, Bytes100>(
            () => new Client(store.StartSession()), () => RingSource.MemoryOf(store.Statistics), store.DisposeAsync,
            batchLength);
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

    // No operation of the engine is ever pending, so no sink is told anything.
    private readonly struct Client(Session session) : IValueSession<Bytes100>
    {
        public Status Read(long key, out Bytes100 value, ReadSink sink) => session.Read(key, out value);

        public void Read(ReadOnlySpan<long> keys, Span<ReadResult<Bytes100>> results) => session.Read(keys, results);

        public Status Upsert(long key, in Bytes100 value, ReadSink sink) => session.Upsert(key, value);

        public void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<Bytes100> values) => session.Upsert(keys, values);

        public Status Rmw(long key, long amount, ReadSink sink) => session.Rmw(key, amount);

        public void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> amounts) => session.Rmw(keys, amounts);

        public bool CompletePending(bool wait) => true;

        public void Dispose() => session.Dispose();
    }
}
