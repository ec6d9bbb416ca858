using System.Collections.Concurrent;
using Faster.Conformance.Contract;

namespace Faster.Conformance.Models;

/// <summary>A dictionary of cells, correct by inspection; defective doubles override its updates.</summary>
/// <param name="shape">Decides how many updates of the status form go pending.</param>
/// <remarks>Thread-safe: updates under one lock, everything else by the dictionary.</remarks>
internal class DictionaryCellStore(EngineShape shape) : IStoreUnderTest<long, long>
{
    private readonly Lock _latch = new();

    /// <summary>The cells.</summary>
    protected ConcurrentDictionary<long, long> Values { get; } = new();

    /// <inheritdoc/>
    public ISessionUnderTest<long, long> StartSession() =>
        new Session(this, DictionaryShapes.PendingShare(shape));

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>Updates a cell.</summary>
    protected virtual RmwResult<long> Update(long key, CellInput input)
    {
        lock (_latch)
        {
            bool exists = Values.TryGetValue(key, out long old);
            Values[key] = exists ? input.Update(old, out long output) : input.Start(out output);
            return new RmwResult<long>(!exists, output);
        }
    }

    /// <summary>Updates a cell for an operation that went pending.</summary>
    protected virtual RmwResult<long> UpdateLate(long key, CellInput input) => Update(key, input);

    private sealed class Session(DictionaryCellStore store, double pendingShare) : CellSession
    {
        private readonly Random _coin = new(1);
        private readonly Queue<Action> _pending = [];

        public override Status Read(long key, out long value, PendingTicket<long> ticket) =>
            store.Values.TryGetValue(key, out value) ? Status.Ok : Status.NotFound;

        public override Status Upsert(long key, long value, PendingTicket<long> ticket)
        {
            lock (store._latch) store.Values[key] = value;
            return Status.Ok;
        }

        public override Status Delete(long key, PendingTicket<long> ticket)
        {
            lock (store._latch) return store.Values.TryRemove(key, out _) ? Status.Ok : Status.NotFound;
        }

        public override Status Rmw(long key, CellInput input, out long output, PendingTicket<long> ticket)
        {
            output = 0;
            if (_coin.NextDouble() < pendingShare)
            {
                _pending.Enqueue(() =>
                {
                    RmwResult<long> late = store.UpdateLate(key, input);
                    ticket.Tell(late.Created ? Status.Created : Status.Ok, late.Value, null);
                });
                return Status.Pending;
            }

            RmwResult<long> result = store.Update(key, input);
            output = result.Value;
            return result.Created ? Status.Created : Status.Ok;
        }

        public override bool CompletePending(bool wait)
        {
            while (_pending.TryDequeue(out Action? operation)) operation();
            return true;
        }

        public override ValueTask<ReadResult<long>> ReadAsync(long key) =>
            new(store.Values.TryGetValue(key, out long value) ? new ReadResult<long>(true, value) : default);

        public override ValueTask UpsertAsync(long key, long value)
        {
            _ = Upsert(key, value, new PendingTicket<long>());
            return ValueTask.CompletedTask;
        }

        public override ValueTask DeleteAsync(long key)
        {
            _ = Delete(key, new PendingTicket<long>());
            return ValueTask.CompletedTask;
        }

        public override ValueTask<RmwResult<long>> RmwAsync(long key, CellInput input) =>
            new(store.Update(key, input));

        public override void ReadBatch(ReadOnlySpan<long> keys, Span<ReadResult<long>> results)
        {
            for (int i = 0; i < keys.Length; i++)
                results[i] = store.Values.TryGetValue(keys[i], out long value) ? new(true, value) : default;
        }

        public override void UpsertBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> values)
        {
            for (int i = 0; i < keys.Length; i++) _ = Upsert(keys[i], values[i], new PendingTicket<long>());
        }

        public override void DeleteBatch(ReadOnlySpan<long> keys)
        {
            foreach (long key in keys) _ = Delete(key, new PendingTicket<long>());
        }

        public override void RmwBatch(
            ReadOnlySpan<long> keys, ReadOnlySpan<CellInput> inputs, Span<RmwResult<long>> results)
        {
            for (int i = 0; i < keys.Length; i++) results[i] = store.Update(keys[i], inputs[i]);
        }

        public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
