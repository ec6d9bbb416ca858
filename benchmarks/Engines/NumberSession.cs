namespace Faster.Workload.Engines;

/// <summary>A session of <see cref="Numbers"/> on FASTER.</summary>
internal readonly struct NumberSession(Numbers.Session session) : IWordSession
{
    /// <inheritdoc/>
    public Status Read(long key, out long value) => session.Read(key, out value);

    /// <inheritdoc/>
    public Status Upsert(long key, long value) => session.Upsert(key, value);

    /// <inheritdoc/>
    public Status Rmw(long key, long input) => session.Rmw(key, input);

    /// <inheritdoc/>
    public void Read(ReadOnlySpan<long> keys, Span<ReadResult<long>> results) => session.Read(keys, results);

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<long> values) => session.Upsert(keys, values);

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> inputs) => session.Rmw(keys, inputs);

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();
}
