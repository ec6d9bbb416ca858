using Faster.Workload;

namespace Faster.Workload.Engines;

/// <summary>A session used by batches of <see cref="StoreNames.BatchLength"/> keys.</summary>
internal sealed class BatchWorker<TSession> : DividingWorker
    where TSession : struct, IWordSession
{
    private readonly TSession _session;
    private readonly ReadResult<long>[] _results = new ReadResult<long>[StoreNames.BatchLength];
    private readonly long[] _values = new long[StoreNames.BatchLength];
    private readonly long[] _ones = [.. Enumerable.Repeat(1L, StoreNames.BatchLength)];

    /// <inheritdoc/>
    public override int CallLength => StoreNames.BatchLength;

    /// <summary>Wraps a session.</summary>
    public BatchWorker(TSession session) => _session = session;

    /// <inheritdoc/>
    public override long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        for (; !keys.IsEmpty; keys = keys[Math.Min(StoreNames.BatchLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(StoreNames.BatchLength, keys.Length)];
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
        for (; !keys.IsEmpty; keys = keys[Math.Min(StoreNames.BatchLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(StoreNames.BatchLength, keys.Length)];
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
        for (; !keys.IsEmpty; keys = keys[Math.Min(StoreNames.BatchLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(StoreNames.BatchLength, keys.Length)];
            for (int i = 0; i < batch.Length; i++)
                _values[i] = ValueWord.Of(batch[i]) ^ mask;
            _session.Upsert(batch, _values.AsSpan(0, batch.Length));
        }
    }

    /// <inheritdoc/>
    public override void Rmw(ReadOnlySpan<long> keys)
    {
        for (; !keys.IsEmpty; keys = keys[Math.Min(StoreNames.BatchLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(StoreNames.BatchLength, keys.Length)];
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
