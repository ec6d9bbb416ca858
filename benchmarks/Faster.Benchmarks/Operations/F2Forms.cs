using Faster.Benchmarks.Scopes;
using Faster.Contracts;

namespace Faster.Benchmarks.Operations;

/// <summary>The operations of F2.</summary>
public readonly struct F2Forms(Words.TieredStore store, Words.TieredSession session) : IForms<F2Forms>
{
    public static F2Forms Open(int keys)
    {
        var options = new TieredOptions { MemoryBudget = Memory.For(keys) };
        Words.TieredStore store = Words.TieredStore.OpenAsync(null, options).AsTask().GetAwaiter().GetResult();
        return new F2Forms(store, store.StartSession());
    }

    public void Close()
    {
        session.Dispose();
        store.Dispose();
    }

    public Status Read(long key, out long value) => session.Read(key, out value);

    public ValueTask<ReadResult<long>> ReadAsync(long key) => session.ReadAsync(key);

    public void Read(ReadOnlySpan<long> keys, Span<ReadResult<long>> results) => session.Read(keys, results);

    public Status Upsert(long key, long value) => session.Upsert(key, value);

    public ValueTask<Status> UpsertAsync(long key, long value) => session.UpsertAsync(key, value);

    public void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<long> values) => session.Upsert(keys, values);

    public Status Rmw(long key, long input) => session.Rmw(key, input);

    public ValueTask<Status> RmwAsync(long key, long input) => session.RmwAsync(key, input);

    public void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> inputs) => session.Rmw(keys, inputs);

    public Status Delete(long key) => session.Delete(key);

    public ValueTask<Status> DeleteAsync(long key) => session.DeleteAsync(key);

    public void Delete(ReadOnlySpan<long> keys) => session.Delete(keys);
}
