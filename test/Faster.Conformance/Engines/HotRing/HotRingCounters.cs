using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.HotRing;

/// <summary>The HotRing engine with longs that are added to.</summary>
public sealed class HotRingCounters : IScannedEngine<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes { get; } =
    [
        new EngineShape(Sampling, Budget, Spills: false),
        new EngineShape(Moving, Budget, Spills: false),
        new EngineShape(Rehashing, Budget, Spills: false),
    ];

    private const string Sampling = "sampling", Moving = "random movement", Rehashing = "rehashing";

    private static ByteSize Budget => ByteSize.MiB(64);

    /// <summary>The options of a shape.</summary>
    public static HotRingOptions OptionsOf(EngineShape shape) => new()
    {
        MemoryBudget = shape.RecordMemory, HotspotInterval = shape.Name == Rehashing ? 1 : 2, Buckets = 16,
        Strategy = shape.Name == Moving ? HotspotStrategy.RandomMovement : HotspotStrategy.StatisticalSampling,
        MaxAccesses = shape.Name == Rehashing ? 2 : double.PositiveInfinity,
    };

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys)
    {
        HotRingSums.Store store = await HotRingSums.OpenAsync(OptionsOf(shape));
        return new HotRingStoreUnderTest<long, long>(
            () => new SessionUnderTest(store.StartSession()), store.DisposeAsync)
        {
            Scans = new(
                options => ScanAsync(store, options), to => store.ExportAsync(to), from => store.ImportAsync(from)),
        };
    }

    private static async IAsyncEnumerable<(long Key, long Value)> ScanAsync(
        HotRingSums.Store store, ScanOptions options)
    {
        await foreach (HotRingSums.Record record in store.ScanAsync(options)) yield return (record.Key, record.Value);
    }

    private sealed class SessionUnderTest(HotRingSums.Session session) : ISessionUnderTest<long, long>
    {
        public Status Read(long key, out long value, PendingTicket<long> ticket) => session.Read(key, out value);

        public Status Upsert(long key, long value, PendingTicket<long> ticket) => session.Upsert(key, value);

        public Status Rmw(long key, long input, PendingTicket<long> ticket) => session.Rmw(key, input);

        public Status Delete(long key, PendingTicket<long> ticket) => session.Delete(key);

        public bool CompletePending(bool wait) => true; // the engine has no pending operations

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
