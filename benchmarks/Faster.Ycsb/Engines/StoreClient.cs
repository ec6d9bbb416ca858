using Faster.Workload.Engines;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Engines;

/// <summary>A session of a generated store, used one key at a time, that tells what is durable.</summary>
internal sealed class StoreClient(Numbers.Session session) : IClient
{
    private readonly SingleWorker<NumberSession> _worker = new(new(session));

    /// <inheritdoc/>
    public long Accepted => session.SerialNumber;

    /// <inheritdoc/>
    public void Observe(Action<long> onDurable) => session.Committed += point => onDurable(point.SerialNumber);

    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys) => _worker.Read(keys);

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask) => _worker.Upsert(keys, mask);

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys) => _worker.Rmw(keys);

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask) => _worker.Mixed(keys, mask);

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys) => _worker.MixedRmw(keys);

    /// <inheritdoc/>
    public void Fetch(ReadOnlySpan<long> keys, Span<long> words) => _worker.Fetch(keys, words);

    /// <inheritdoc/>
    public void Dispose() => _worker.Dispose();
}
