using System.Runtime.InteropServices;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>A session of <see cref="Blobs"/>, used one key at a time; operations may go pending.</summary>
internal sealed class BlobWorker(Blobs.Session session, int valueBytes) : IWorker
{
    private readonly Outcomes _outcomes = new();
    private readonly Scratch _scratch = new(valueBytes);
    private readonly byte[] _value = new byte[valueBytes];

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
        _ = Continue();
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            _ = _outcomes.IsDone(session.Rmw(key, _scratch, _outcomes.Sink));
        _ = Continue();
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
                _ = _outcomes.IsDone(session.Rmw(~key, _scratch, _outcomes.Sink));
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
            if (_outcomes.IsDone(session.Read(keys[i], _scratch, out long word, sinks[i])))
                sinks[i].Word = word;
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

    private long ReadOne(long key) =>
        _outcomes.IsDone(session.Read(key, _scratch, out long word, _outcomes.Sink)) ? ValueWord.KeyOf(word) : 0;

    private bool UpsertOne(long key, long mask)
    {
        MemoryMarshal.Write(_value, ValueWord.Of(key) ^ mask);
        return _outcomes.IsDone(session.Upsert(key, _value, _outcomes.Sink));
    }

    private long Continue()
    {
        _ = session.CompletePending(wait: false);
        return _outcomes.TakeTold();
    }
}
