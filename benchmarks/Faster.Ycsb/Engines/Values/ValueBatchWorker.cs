using Faster.Workload.Engines;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>
/// A session used by batches; a batch ends when all of it is done, also what had to come from the disk.
/// </summary>
internal sealed class ValueBatchWorker<TSession, TValue> : DividingWorker
    where TSession : struct, IValueSession<TValue>
    where TValue : unmanaged
{
    private readonly TSession _session;
    private readonly ReadResult<TValue>[] _results;
    private readonly TValue[] _values;
    private readonly long[] _ones;

    /// <summary>Wraps a session.</summary>
    /// <param name="session">The session.</param>
    /// <param name="length">How many keys a call takes.</param>
    public ValueBatchWorker(TSession session, int length)
    {
        _session = session;
        _results = new ReadResult<TValue>[length];
        _values = new TValue[length];
        _ones = [.. Enumerable.Repeat(1L, length)];
    }

    /// <inheritdoc/>
    public override int CallLength => _values.Length;

    /// <inheritdoc/>
    public override long Read(ReadOnlySpan<long> keys)
    {
        long told = 0;
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(CallLength, keys.Length)];
            Span<ReadResult<TValue>> results = _results.AsSpan(0, batch.Length);
            _session.Read(batch, results);
            foreach (ref readonly ReadResult<TValue> result in results)
            {
                if (!result.Found)
                    StoreStatus.RequireOk(Status.NotFound);
                TValue value = result.Value;
                told += ValueWord.KeyOf(ValueWord.Of(ref value));
            }
        }

        return told;
    }

    /// <inheritdoc/>
    public override long CountAbsent(ReadOnlySpan<long> keys)
    {
        long absent = 0;
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(CallLength, keys.Length)];
            Span<ReadResult<TValue>> results = _results.AsSpan(0, batch.Length);
            _session.Read(batch, results);
            foreach (ref readonly ReadResult<TValue> result in results)
                absent += result.Found ? 0 : 1;
        }

        return absent;
    }

    /// <inheritdoc/>
    public override void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(CallLength, keys.Length)];
            for (int i = 0; i < batch.Length; i++)
                ValueWord.Set(ref _values[i], ValueWord.Of(batch[i]) ^ mask);
            _session.Upsert(batch, _values.AsSpan(0, batch.Length));
        }
    }

    /// <inheritdoc/>
    public override void Rmw(ReadOnlySpan<long> keys)
    {
        for (; !keys.IsEmpty; keys = keys[Math.Min(CallLength, keys.Length)..])
        {
            ReadOnlySpan<long> batch = keys[..Math.Min(CallLength, keys.Length)];
            _session.Rmw(batch, _ones.AsSpan(0, batch.Length));
        }
    }

    /// <inheritdoc/>
    public override void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        for (int i = 0; i < keys.Length; i++)
        {
            var sink = new WordSink();
            Status status = _session.Read(keys[i], out TValue value, sink);
            words[i] = ValueWord.Of(ref value);
            if (status != Status.Pending)
            {
                StoreStatus.RequireOk(status);
                continue;
            }

            _ = _session.CompletePending(wait: true);
            words[i] = sink.Word;
        }
    }

    /// <inheritdoc/>
    public override void Dispose() => _session.Dispose();
}
