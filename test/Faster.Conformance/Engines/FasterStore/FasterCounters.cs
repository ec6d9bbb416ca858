using Faster.Conformance.Contract;
using Faster.Store;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>The FASTER store with longs that are added to.</summary>
public sealed class FasterCounters : IDurableEngine<long, long>, IHistoryEngine<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => FasterShapes.All;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => FasterShapes.Logs;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => FasterShapes.Durable;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        Of(await Counters.OpenAsync(
            FasterShapes.PathOf(shape, folder), FasterShapes.OptionsOf(shape, expectedKeys), CancellationToken.None),
            FasterShapes.PathOf(shape, folder) is not null);

    /// <summary>The adapter of a session of a store that a test has opened itself.</summary>
    internal static ISessionUnderTest<long, long> Adapt(Counters.Session session) => new SessionUnderTest(session);

    /// <summary>The adapter of an open store.</summary>
    internal static FasterStoreUnderTest<long, long> Of(Counters.Store store, bool scansCommits = false) => new()
    {
        Start = () => new SessionUnderTest(store.StartSession()),
        CloseAsync = store.DisposeAsync,
        Read = () => store.Statistics,
        GrowAsync = store.GrowIndexAsync,
        ShrinkAsync = store.ShrinkIndexAsync,
        CompactAsync = until => store.CompactAsync(until),
        TruncateAsync = until => store.TruncateAsync(until),
        CommitAsync = (kind, withIndex) => store.CommitAsync(kind, withIndex),
        ScanAsync = () => ScanAsync(store, new ScanOptions()),
        Scans = new(
            options => ScanAsync(store, options), to => store.ExportAsync(to), from => store.ImportAsync(from),
            scansCommits ? () => store.CommitAsync() : null),
        Durability = new(
            (kind, withIndex) => store.CommitAsync(kind, withIndex), () => store.ScannableCommits,
            name => Continue(store, name)),
        HistoryAsync = key => PastAsync(store, key),
        HasLog = store.Options.Allocator != RecordAllocatorKind.InMemory,
    };

    private static async IAsyncEnumerable<(long Key, long Value)> ScanAsync(
        Counters.Store store, ScanOptions options)
    {
        await foreach (Counters.Record record in store.ScanAsync(options)) yield return (record.Key, record.Value);
    }

    private static NamedSession<long, long> Continue(Counters.Store store, string name)
    {
        Counters.Session session = store.StartSession(name);
        return new(
            new SessionUnderTest(session), session.RecoveredPoint,
            (keys, inputs, serial) => session.Rmw(keys, inputs, serial));
    }

    private static async IAsyncEnumerable<RecordVersion<ReadResult<long>>> PastAsync(
        Counters.Store store, long key)
    {
        await foreach (RecordVersion<Counters.Record> past in store.HistoryAsync(key))
        {
            Counters.Record record = past.Record;
            yield return new(
                record.IsTombstone ? default : new(true, record.Value), past.Address, past.Version);
        }
    }

    private sealed class SessionUnderTest(Counters.Session session) : ISessionUnderTest<long, long>, IExpiringSession
    {
        public TimeSpan TimeToLive
        {
            set => session.TimeToLive = value;
        }

        public Status Read(long key, out long value, PendingTicket<long> ticket)
        {
            Status status = session.Read(key, out long output, ticket);
            value = output;
            return status;
        }

        public Status Upsert(long key, long value, PendingTicket<long> ticket) => session.Upsert(key, value, ticket);

        public Status Rmw(long key, long input, PendingTicket<long> ticket) => session.Rmw(key, input, ticket);

        public Status Delete(long key, PendingTicket<long> ticket) => session.Delete(key, ticket);

        public bool CompletePending(bool wait) => session.CompletePending(wait);

        public ValueTask<ReadResult<long>> ReadAsync(long key) => session.ReadAsync(key);

        public async ValueTask UpsertAsync(long key, long value) =>
            Assert.Equal(Status.Ok, await session.UpsertAsync(key, value));

        public ValueTask<Status> RmwAsync(long key, long input) => session.RmwAsync(key, input);

        public async ValueTask DeleteAsync(long key) => await session.DeleteAsync(key);

        public void ReadBatch(ReadOnlySpan<long> keys, Span<ReadResult<long>> results) => session.Read(keys, results);

        public void UpsertBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> values) => session.Upsert(keys, values);

        public void RmwBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> inputs) => session.Rmw(keys, inputs);

        public void RmwBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> inputs, Span<Status> statuses) =>
            session.Rmw(keys, inputs, statuses);

        public void DeleteBatch(ReadOnlySpan<long> keys) => session.Delete(keys);

        public void Prefetch(long key) => session.Prefetch(key);

        public ValueTask DisposeAsync() => session.DisposeAsync();
    }
}
