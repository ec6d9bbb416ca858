using Faster.Engines;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>
/// A session used one key at a time, whose operations may go pending: many are under way at once, and the session itself
/// waits when there are too many.
/// </summary>
internal sealed class ValueWorker<TSession, TValue>(TSession session) : IWorker
    where TSession : struct, IValueSession<TValue>
    where TValue : unmanaged
{
    private readonly ReadSink _sink = new();
    private WatchSink? _watch;
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
            UpsertOne(key, mask);
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
            else
                UpsertOne(~key, mask);
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
            if (IsDone(status))
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
        return _sink.TakeTold();
    }

    /// <inheritdoc/>
    public bool TryWatchNext(LatencyHistogram latencies)
    {
        _watch = new WatchSink(_sink, latencies);
        return true;
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();

    private long ReadOne(long key)
    {
        ReadSink sink = _watch ?? _sink;
        Status status = session.Read(key, out TValue value, sink);
        return IsDone(status) && Ended() ? ValueWord.KeyOf(ValueWord.Of(ref value)) : 0;
    }

    private void UpsertOne(long key, long mask)
    {
        ValueWord.Set(ref _value, ValueWord.Of(key) ^ mask);
        Status status = session.Upsert(key, in _value, _watch ?? _sink);
        _ = IsDone(status) && Ended();
    }

    private void RmwOne(long key)
    {
        Status status = session.Rmw(key, 1, _watch ?? _sink);
        _ = IsDone(status) && Ended();
    }

    private long Continue()
    {
        _ = session.CompletePending(wait: false);
        return _sink.TakeTold();
    }

    private bool IsDone(Status status)
    {
        if (status == Status.Ok)
            return true;
        if (status != Status.Pending)
            StoreStatus.RequireOk(status);
        _watch = null;
        return false;
    }

    private bool Ended()
    {
        if (_watch is { } watch)
        {
            watch.Record();
            _watch = null;
        }

        return true;
    }
}
