using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.Latched;

/// <summary>The latched engine with longs that are added to.</summary>
public sealed class LatchedCounters : IEngineUnderTest<long, long>
{
    /// <inheritdoc/>
    public static Flavor<long, long> Flavor => CounterFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes { get; } =
        [new EngineShape("under one latch", new LatchedOptions().MemoryBudget, Spills: false)];

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<long, long>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys)
    {
        LatchedSums.Store store = await LatchedSums.OpenAsync();
        return new LatchedStoreUnderTest<long, long>(
            () => new SessionUnderTest(store.StartSession()), store.DisposeAsync);
    }

    private sealed class SessionUnderTest(LatchedSums.Session session) : ISessionUnderTest<long, long>
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
