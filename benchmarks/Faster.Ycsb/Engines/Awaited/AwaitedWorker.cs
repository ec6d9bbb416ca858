using Faster.Workload;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Engines.Awaited;

/// <summary>A session that reads by single calls, and writes one key by a call, several by a batch.</summary>
internal sealed class AwaitedWorker<TSession, TValue>(TSession session) : UpsertWorker
    where TSession : struct, IAwaitedSession<TValue>
    where TValue : unmanaged
{
    private readonly ValueWorker<TSession, TValue> _single = new(session);
    private readonly ValueBatchWorker<TSession, TValue> _batches = new(session, KeyStream.ChunkLength);

    /// <inheritdoc/>
    public override long Read(ReadOnlySpan<long> keys) => _single.Read(keys);

    /// <inheritdoc/>
    public override void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        if (keys.Length != 1)
        {
            _batches.Upsert(keys, mask);
            return;
        }

        _single.Upsert(keys, mask);
        _ = _single.Finish(); // it may wait for space
    }

    /// <inheritdoc/>
    public override void Fetch(ReadOnlySpan<long> keys, Span<long> words) => _single.Fetch(keys, words);

    /// <inheritdoc/>
    public override long Finish() => _single.Finish();

    /// <inheritdoc/>
    public override void Dispose()
    {
        _single.Dispose(); // the session, which both use
        base.Dispose();
    }
}
