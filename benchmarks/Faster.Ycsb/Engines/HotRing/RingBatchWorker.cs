using Faster.Engines;
using Faster.Workload;

namespace Faster.Ycsb.Engines.HotRing;

/// <summary>A session of the engine HotRing, used by batches.</summary>
internal sealed class RingBatchWorker : DividingWorker
{
    private const int BatchLength = BatchWorker.BatchLength;

    private readonly RingNumbers.Session _session;
    private readonly ReadResult<long>[] _results = new ReadResult<long>[BatchLength];
    private readonly long[] _values = new long[BatchLength];
    private readonly long[] _ones = [.. Enumerable.Repeat(1L, BatchLength)];

    /// <inheritdoc/>
    public override int CallLength => BatchLength;

    /// <summary>Wraps a session.</summary>
    public RingBatchWorker(RingNumbers.Session session) => _session = session;

    /// <inheritdoc/>
    public override long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        for (; !keys.IsEmpty; keys = keys[Math.Min(BatchLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(BatchLength, keys.Length)];
            Span<ReadResult<long>> results = _results.AsSpan(0, batch.Length);
            _session.Read(batch, results);
            foreach (ReadResult<long> result in results)
            {
                if (!result.Found)
                    StoreStatus.RequireOk(Status.NotFound);
                sum += ValueWord.KeyOf(result.Value);
            }
        }

        return sum;
    }

    /// <inheritdoc/>
    public override long CountAbsent(ReadOnlySpan<long> keys)
    {
        long absent = 0;
        for (; !keys.IsEmpty; keys = keys[Math.Min(BatchLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(BatchLength, keys.Length)];
            Span<ReadResult<long>> results = _results.AsSpan(0, batch.Length);
            _session.Read(batch, results);
            foreach (ReadResult<long> result in results)
                absent += result.Found ? 0 : 1;
        }

        return absent;
    }

    /// <inheritdoc/>
    public override void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        for (; !keys.IsEmpty; keys = keys[Math.Min(BatchLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(BatchLength, keys.Length)];
            for (int i = 0; i < batch.Length; i++)
                _values[i] = ValueWord.Of(batch[i]) ^ mask;
            _session.Upsert(batch, _values.AsSpan(0, batch.Length));
        }
    }

    /// <inheritdoc/>
    public override void Rmw(ReadOnlySpan<long> keys)
    {
        for (; !keys.IsEmpty; keys = keys[Math.Min(BatchLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(BatchLength, keys.Length)];
            _session.Rmw(batch, _ones.AsSpan(0, batch.Length));
        }
    }

    /// <inheritdoc/>
    public override void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        for (int i = 0; i < keys.Length; i++)
            StoreStatus.RequireOk(_session.Read(keys[i], out words[i]));
    }

    /// <inheritdoc/>
    public override void Dispose() => _session.Dispose();
}
