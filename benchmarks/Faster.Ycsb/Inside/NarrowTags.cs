using Faster.Contracts;
using Faster.Workload.Engines;
using Faster.Engines;
using Faster.Workload;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Inside;

/// <summary>A store in memory of words by 8-byte keys, whose index has narrow tags.</summary>
/// <typeparam name="TTag">How narrow.</typeparam>
internal static class NarrowTags<TTag>
    where TTag : struct, ITagWidth
{
    /// <summary>Opens it as an engine for reads and blind updates.</summary>
    public static async Task<IEngine> OpenEngineAsync(StoreOptions options)
    {
        var schema = new RecordSchema(sizeof(long), sizeof(long), sizeof(long), "long", "long");
        FasterStore store = await FasterStore.OpenAsync(null, options, schema, default);
        return new StoreValueEngine<Client, long>(
            () => new Client(store.StartSession()), () => store.Statistics, store.CompactAsync, store.DisposeAsync,
            batchLength: 1);
    }

    private readonly struct Client(FasterSession session) : IValueSession<long>
    {
        public Status Read(long key, out long value, ReadSink sink)
        {
            var read = default(WordRead);
            Status status = session.Read(new NarrowKey<TTag>(key), ref read);
            value = read.Value;
            return status;
        }

        public Status Upsert(long key, in long value, ReadSink sink)
        {
            var write = new WordWrite(value);
            return session.Upsert(new NarrowKey<TTag>(key), ref write);
        }

        public Status Rmw(long key, long amount, ReadSink sink) => throw OnlyReadsAndWrites();

        public void Read(ReadOnlySpan<long> keys, Span<ReadResult<long>> results) => throw OnlyReadsAndWrites();

        public void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<long> values) => throw OnlyReadsAndWrites();

        public void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> amounts) => throw OnlyReadsAndWrites();

        public bool CompletePending(bool wait) => session.CompletePending(wait);

        public void Dispose() => session.Dispose();

        private static NotSupportedException OnlyReadsAndWrites() => new("Single reads and blind updates only.");
    }
}

/// <summary>The widths that are measured.</summary>
internal static class NarrowTags
{
    /// <summary>How many bits a tag has.</summary>
    public const int AllBits = 14;

    /// <summary>Two tags.</summary>
    public readonly struct One : ITagWidth
    {
        /// <inheritdoc/>
        public static int Bits => 1;
    }

    /// <summary>4 tags.</summary>
    public readonly struct Two : ITagWidth
    {
        /// <inheritdoc/>
        public static int Bits => 2;
    }

    /// <summary>16 tags.</summary>
    public readonly struct Four : ITagWidth
    {
        /// <inheritdoc/>
        public static int Bits => 4;
    }

    /// <summary>256 tags.</summary>
    public readonly struct Eight : ITagWidth
    {
        /// <inheritdoc/>
        public static int Bits => 8;
    }

    /// <summary>As the index has them.</summary>
    public readonly struct All : ITagWidth
    {
        /// <inheritdoc/>
        public static int Bits => AllBits;
    }
}
