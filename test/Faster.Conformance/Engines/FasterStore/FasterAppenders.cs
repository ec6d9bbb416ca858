using Faster.Conformance.Contract;
using Faster.Store;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>The FASTER store with bytes that are appended to.</summary>
public sealed class FasterAppenders : IDurableEngine<byte[], byte[]>, IHistoryEngine<byte[], byte[]>
{
    /// <inheritdoc/>
    public static Flavor<byte[], byte[]> Flavor => AppenderFlavor.Instance;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> Shapes => FasterShapes.All;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> ScannedShapes => FasterShapes.Logs;

    /// <inheritdoc/>
    public static IReadOnlyList<EngineShape> DurableShapes => FasterShapes.Durable;

    /// <inheritdoc/>
    public static async ValueTask<IStoreUnderTest<byte[], byte[]>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys) =>
        Of(await Appenders.OpenAsync(
            FasterShapes.PathOf(shape, folder), FasterShapes.OptionsOf(shape, expectedKeys), CancellationToken.None),
            FasterShapes.PathOf(shape, folder) is not null);

    /// <summary>The adapter of an open store.</summary>
    internal static FasterStoreUnderTest<byte[], byte[]> Of(Appenders.Store store, bool scansCommits = false) => new()
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

    private static async IAsyncEnumerable<(byte[] Key, byte[] Value)> ScanAsync(
        Appenders.Store store, ScanOptions options)
    {
        await foreach (Appenders.Record record in store.ScanAsync(options)) yield return (record.Key, record.Value!);
    }

    private static NamedSession<byte[], byte[]> Continue(Appenders.Store store, string name)
    {
        Appenders.Session session = store.StartSession(name);
        return new(
            new SessionUnderTest(session), session.RecoveredPoint, (keys, inputs, serial) => session.Rmw(
                SessionUnderTest.Memories(keys), SessionUnderTest.Memories(inputs), serial));
    }

    private static async IAsyncEnumerable<RecordVersion<ReadResult<byte[]>>> PastAsync(
        Appenders.Store store, byte[] key)
    {
        await foreach (RecordVersion<Appenders.Record> past in store.HistoryAsync(key))
        {
            Appenders.Record record = past.Record;
            yield return new(
                record.IsTombstone ? default : new(true, record.Value!), past.Address, past.Version);
        }
    }

    private sealed class SessionUnderTest(Appenders.Session session)
        : ISessionUnderTest<byte[], byte[]>, IExpiringSession
    {
        public TimeSpan TimeToLive
        {
            set => session.TimeToLive = value;
        }

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

        public static ReadOnlyMemory<byte>[] Memories(ReadOnlySpan<byte[]> arrays)
        {
            var memories = new ReadOnlyMemory<byte>[arrays.Length];
            for (int i = 0; i < arrays.Length; i++) memories[i] = arrays[i];
            return memories;
        }
    }
}
