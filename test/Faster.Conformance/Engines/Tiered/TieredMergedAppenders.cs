using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.Tiered;

/// <summary>The engine F2 with bytes that are appended to and merged.</summary>
public sealed class TieredMergedAppenders : IScannedEngine<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => TieredShapes.Lasting;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => Shapes;

    /// <inheritdoc/>
    public static bool RmwReadsDisk => false;

    /// <inheritdoc/>
    /// <remarks>A delta must fit a page.</remarks>
    public static int MaxInputBytes => 2000;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<byte[], byte[]>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys)
    {
        TieredMergedTexts.Store store =
            await TieredMergedTexts.OpenAsync(
                TieredShapes.PathOf(shape, folder), TieredShapes.OptionsOf(shape, expectedKeys));
        return new TieredStoreUnderTest<byte[], byte[]>
        {
            Start = () => new SessionUnderTest(store.StartSession()), CloseAsync = store.DisposeAsync,
            Read = () => store.Statistics, GrowAsync = store.GrowIndexAsync, ShrinkAsync = store.ShrinkIndexAsync,
            Scans = new(
                options => ScanAsync(store, options), to => store.ExportAsync(to), from => store.ImportAsync(from),
                TieredShapes.PathOf(shape, folder) is null ? null : () => store.CommitAsync()),
        };
    }

    private static async IAsyncEnumerable<(byte[] Key, byte[] Value)> ScanAsync(
        TieredMergedTexts.Store store, ScanOptions options)
    {
        await foreach (TieredMergedTexts.Record record in store.ScanAsync(options))
            yield return (record.Key, record.Value!);
    }

    private sealed class SessionUnderTest(TieredMergedTexts.Session session) : ISessionUnderTest<byte[], byte[]>
    {
        public bool KnowsCreations => false;

        public Status Read(byte[] key, out byte[] value, PendingTicket<byte[]> ticket)
        {
            Status status = session.Read(key, out byte[]? output, ticket);
            value = output!;
            return status;
        }

        public Status Upsert(byte[] key, byte[] value, PendingTicket<byte[]> ticket) =>
            session.Upsert(key, value, ticket);

        public Status Rmw(byte[] key, byte[] input, PendingTicket<byte[]> ticket) =>
            session.Rmw(key, input, ticket);

        public Status Delete(byte[] key, PendingTicket<byte[]> ticket) => session.Delete(key, ticket);

        public bool CompletePending(bool wait) => session.CompletePending(wait);

        public ValueTask<ReadResult<byte[]>> ReadAsync(byte[] key) => session.ReadAsync(key);

        public async ValueTask UpsertAsync(byte[] key, byte[] value) =>
            Assert.Equal(Status.Ok, await session.UpsertAsync(key, value));

        public ValueTask<Status> RmwAsync(byte[] key, byte[] input) => session.RmwAsync(key, input);

        public async ValueTask DeleteAsync(byte[] key) => await session.DeleteAsync(key);

        public void ReadBatch(ReadOnlySpan<byte[]> keys, Span<ReadResult<byte[]>> results) =>
            session.Read(Memories(keys), results);

        public void UpsertBatch(ReadOnlySpan<byte[]> keys, ReadOnlySpan<byte[]> values) =>
            session.Upsert(Memories(keys), Memories(values));

        public void RmwBatch(ReadOnlySpan<byte[]> keys, ReadOnlySpan<byte[]> inputs) =>
            session.Rmw(Memories(keys), Memories(inputs));

        public void RmwBatch(ReadOnlySpan<byte[]> keys, ReadOnlySpan<byte[]> inputs, Span<Status> statuses) =>
            session.Rmw(Memories(keys), Memories(inputs), statuses);

        public void DeleteBatch(ReadOnlySpan<byte[]> keys) => session.Delete(Memories(keys));

        public void Prefetch(byte[] key) => session.Prefetch(key);

        public ValueTask DisposeAsync() => session.DisposeAsync();

        private static ReadOnlyMemory<byte>[] Memories(ReadOnlySpan<byte[]> arrays)
        {
            var memories = new ReadOnlyMemory<byte>[arrays.Length];
            for (int i = 0; i < arrays.Length; i++) memories[i] = arrays[i];
            return memories;
        }
    }
}
