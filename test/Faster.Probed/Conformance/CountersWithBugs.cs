using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Tiered;

namespace Faster.Tests.Conformance;

/// <summary>The engine F2 with a seeded bug, and longs that are added to.</summary>
internal sealed class CountersWithBugs : IDurableEngine<long, long>, IHistoryEngine<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => TieredShapes.All;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => TieredShapes.Durable;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys)
    {
        SumsWithBugs.Store store = await SumsWithBugs.OpenAsync(
                TieredShapes.PathOf(shape, folder), TieredShapes.OptionsOf(shape, expectedKeys));
        return new TieredStoreUnderTest<long, long>
        {
            Start = () => new SessionUnderTest(store.StartSession()), CloseAsync = store.DisposeAsync,
            Read = () => store.Statistics, GrowAsync = store.GrowIndexAsync, ShrinkAsync = store.ShrinkIndexAsync,
            Scans = new(
                options => ScanAsync(store, options), to => store.ExportAsync(to), from => store.ImportAsync(from),
                TieredShapes.PathOf(shape, folder) is null ? null : () => store.CommitAsync()),
            Durability = new(
                (kind, withIndex) => store.CommitAsync(kind, withIndex), () => store.ScannableCommits,
                name => Continue(store, name)),
            HistoryAsync = key => PastAsync(store, key),
        };
    }

    private static async IAsyncEnumerable<(long Key, long Value)> ScanAsync(
        SumsWithBugs.Store store, ScanOptions options)
    {
        await foreach (SumsWithBugs.Record record in store.ScanAsync(options)) yield return (record.Key, record.Value);
    }

    private static NamedSession<long, long> Continue(SumsWithBugs.Store store, string name)
    {
        SumsWithBugs.Session session = store.StartSession(name);
        return new(
            new SessionUnderTest(session), session.RecoveredPoint,
            (keys, inputs, serial) => session.Rmw(keys, inputs, serial));
    }

    private static async IAsyncEnumerable<RecordVersion<ReadResult<long>>> PastAsync(SumsWithBugs.Store store, long key)
    {
        await foreach (RecordVersion<SumsWithBugs.Record> past in store.HistoryAsync(key))
        {
            SumsWithBugs.Record record = past.Record;
            yield return new(record.IsTombstone ? default : new(true, record.Value), past.Address, past.Version);
        }
    }

    private sealed class SessionUnderTest(SumsWithBugs.Session session) : ISessionUnderTest<long, long>
    {
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
