using Faster.Workload;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Tests.Engines;

/// <summary>A session each of whose upserts is pending until the session waits for it.</summary>
internal readonly struct PendingSession(
    Dictionary<long, long> values, List<(long Key, long Value, ReadSink Sink)> pending)
    : IValueSession<long>
{
    /// <inheritdoc/>
    public Status Read(long key, out long value, ReadSink sink) =>
        values.TryGetValue(key, out value) ? Status.Ok : Status.NotFound;

    /// <inheritdoc/>
    public void Read(ReadOnlySpan<long> keys, Span<ReadResult<long>> results) => throw new NotSupportedException();

    /// <inheritdoc/>
    public Status Upsert(long key, in long value, ReadSink sink)
    {
        pending.Add((key, value, sink));
        return Status.Pending;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<long> values) => throw new NotSupportedException();

    /// <inheritdoc/>
    public Status Rmw(long key, long amount, ReadSink sink) => throw new NotSupportedException();

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> amounts) => throw new NotSupportedException();

    /// <inheritdoc/>
    public bool CompletePending(bool wait)
    {
        if (!wait)
            return pending.Count == 0;
        foreach ((long key, long value, ReadSink sink) in pending)
        {
            values[key] = value;
            sink.End(Status.Ok, 0, null);
        }

        pending.Clear();
        return true;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
    }
}
