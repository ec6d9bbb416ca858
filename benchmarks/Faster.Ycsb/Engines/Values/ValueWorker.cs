using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>
/// A session used one key at a time, whose operations may go pending: many are under way at once, and the session
/// itself waits when there are too many.
/// </summary>
internal sealed class ValueWorker<TSession, TValue>(TSession session) : IWorker
    where TSession : struct, IValueSession<TValue>
    where TValue : unmanaged
{
    private readonly Outcomes _outcomes = new();
    private TValue _value;

    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long told = 0;
        foreach (long key in keys)
            told += ReadOne(key);
        return told + Continue();
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        foreach (long key in keys)
            _ = UpsertOne(key, mask);
        _ = session.CompletePending(wait: false);
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            RmwOne(key);
        _ = session.CompletePending(wait: false);
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask)
    {
        long told = 0;
        foreach (long key in keys)
        {
            if (key >= 0)
                told += ReadOne(key);
            else if (!UpsertOne(~key, mask))
                _ = session.CompletePending(wait: true); // an insert that is pending is not there yet to be read
        }

        return told + Continue();
    }

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys)
    {
        long told = 0;
        foreach (long key in keys)
        {
            if (key >= 0)
                told += ReadOne(key);
            else
                RmwOne(~key);
        }

        return told + Continue();
    }

    /// <inheritdoc/>
    public void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        var sinks = new WordSink[keys.Length];
        for (int i = 0; i < keys.Length; i++)
        {
            sinks[i] = new WordSink();
            Status status = session.Read(keys[i], out TValue value, sinks[i]);
            if (_outcomes.IsDone(status))
                sinks[i].Word = ValueWord.Of(ref value);
        }

        _ = session.CompletePending(wait: true);
        for (int i = 0; i < keys.Length; i++)
            words[i] = sinks[i].Word;
    }

    /// <inheritdoc/>
    public long Finish()
    {
        _ = session.CompletePending(wait: true);
        return _outcomes.TakeTold();
    }

    /// <inheritdoc/>
    public bool TryWatchNext(LatencyHistogram latencies)
    {
        _outcomes.WatchNext(latencies);
        return true;
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();

    private long ReadOne(long key)
    {
        Status status = session.Read(key, out TValue value, _outcomes.Sink);
        return _outcomes.IsDone(status) ? ValueWord.KeyOf(ValueWord.Of(ref value)) : 0;
    }

    private bool UpsertOne(long key, long mask)
    {
        ValueWord.Set(ref _value, ValueWord.Of(key) ^ mask);
        return _outcomes.IsDone(session.Upsert(key, in _value, _outcomes.Sink));
    }

    private void RmwOne(long key) => _ = _outcomes.IsDone(session.Rmw(key, 1, _outcomes.Sink));

    private long Continue()
    {
        _ = session.CompletePending(wait: false);
        return _outcomes.TakeTold();
    }
}
