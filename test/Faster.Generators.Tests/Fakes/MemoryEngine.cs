namespace Faster.Generators.Tests.Fakes;

/// <summary>An engine that has no capability but the operations, as a user would write it. It cannot be run.</summary>
internal static class MemoryEngine
{
    /// <summary>The engine, to be put before or after the source of a store.</summary>
    public const string Source = """
        public sealed class MemoryEngine : Faster.Contracts.IEngine<MemoryStore, MemorySession, MemoryOptions>;

        public sealed record MemoryOptions;

        public sealed class MemoryStore(MemoryOptions options)
            : Faster.Contracts.IEngineStore<MemorySession, MemoryOptions>,
              Faster.Contracts.IMemoryStore<MemoryStore, MemoryOptions>
        {
            public MemoryOptions Options => options;
            public static ValueTask<MemoryStore> OpenAsync(
                MemoryOptions options, Faster.Contracts.RecordSchema schema, CancellationToken cancellationToken) =>
                new(new MemoryStore(options));
            public MemorySession StartSession() => new();
            public void Dispose() { }
            public ValueTask DisposeAsync() => default;
        }

        public sealed class MemorySession : Faster.Contracts.IEngineSession
        {
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
}
