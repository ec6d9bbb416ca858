using Faster.Contracts;

namespace Faster.Benchmarks.Operations;

/// <summary>
/// The operations of one engine's session, in their three forms. Implemented by structs, so that calls are direct.
/// </summary>
public interface IForms<TSelf>
    where TSelf : struct, IForms<TSelf>
{
    /// <summary>Opens a store in memory, and starts a session.</summary>
    static abstract TSelf Open(int keys);

    /// <summary>Closes both.</summary>
    void Close();

    Status Read(long key, out long value);

    ValueTask<ReadResult<long>> ReadAsync(long key);

    void Read(ReadOnlySpan<long> keys, Span<ReadResult<long>> results);

    Status Upsert(long key, long value);

    ValueTask<Status> UpsertAsync(long key, long value);

    void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<long> values);

    Status Rmw(long key, long input);

    ValueTask<Status> RmwAsync(long key, long input);

    void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> inputs);

    Status Delete(long key);

    ValueTask<Status> DeleteAsync(long key);

    void Delete(ReadOnlySpan<long> keys);
}
