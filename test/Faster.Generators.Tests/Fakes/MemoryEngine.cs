namespace Faster.Generators.Tests.Fakes;

/// <summary>An engine that has no capability but the operations, as a user would write it. It cannot be run.</summary>
internal static class MemoryEngine
{
    /// <summary>The engine, to be put before or after the source of a store.</summary>
    public const string Source = """
        [Faster.Contracts.Engine(typeof(MemoryStore<,>), typeof(MemorySession), typeof(MemoryOptions))]
        public static class MemoryEngine
        {
            public static ValueTask<TStore> OpenAsync<TStore>(
                MemoryOptions? options, Faster.Contracts.RecordSchema schema, Func<MemoryOptions, TStore> make,
                CancellationToken cancellationToken) =>
                new(make(options ?? new MemoryOptions()));
        }

        public sealed record MemoryOptions : EngineOptions;

        public abstract class MemoryStore<TSession, TRecord>(MemoryOptions options)
            : Faster.Contracts.IEngineStore<TSession, MemoryOptions>
            where TSession : MemorySession
        {
            public MemoryOptions Options => options;
            public TSession StartSession() => MakeSession(options);
            public void Dispose() { }
            public ValueTask DisposeAsync() => default;
            protected abstract TSession MakeSession(MemoryOptions start);
        }

        public abstract class MemorySession(MemoryOptions start) : Faster.Contracts.IEngineSession
        {
            public MemoryOptions Start => start;
            public Status Read<TKey, TOperation>(scoped TKey key, ref TOperation operation)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IReadOperation => Status.NotFound;
            public Status Upsert<TKey, TOperation>(scoped TKey key, ref TOperation operation)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IUpsertOperation => Status.Ok;
            public Status Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IRmwOperation => Status.Ok;
            public Status Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IDeleteOperation => Status.NotFound;
            public Status Read<TKey, TOperation>(
                scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IReadOperation, Faster.Contracts.IBorrowingOperation =>
                Read(key, ref operation);
            public Status Upsert<TKey, TOperation>(
                scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IUpsertOperation, Faster.Contracts.IBorrowingOperation =>
                Upsert(key, ref operation);
            public Status Rmw<TKey, TOperation>(
                scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IRmwOperation, Faster.Contracts.IBorrowingOperation =>
                Rmw(key, ref operation);
            public void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IReadOperation
                where TBatch : struct, Faster.Contracts.IBatch<TKey, TOperation>, allows ref struct { }
            public void UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IUpsertOperation
                where TBatch : struct, Faster.Contracts.IBatch<TKey, TOperation>, allows ref struct { }
            public void RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IRmwOperation
                where TBatch : struct, Faster.Contracts.IBatch<TKey, TOperation>, allows ref struct { }
            public void DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TOperation : struct, Faster.Contracts.IDeleteOperation
                where TBatch : struct, Faster.Contracts.IBatch<TKey, TOperation>, allows ref struct { }
            public void Prefetch<TKey>(scoped TKey key)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct { }
            public void Dispose() { }
            public ValueTask DisposeAsync() => default;
        }
        """;

    /// <summary>The engine with types of another accessibility.</summary>
    public static string SourceAs(string accessibility) => Source
        .Replace("public static class", accessibility + " static class", StringComparison.Ordinal)
        .Replace("public sealed record", accessibility + " sealed record", StringComparison.Ordinal)
        .Replace("public abstract class", accessibility + " abstract class", StringComparison.Ordinal);
}
