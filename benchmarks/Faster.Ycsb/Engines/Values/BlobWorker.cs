using System.Runtime.InteropServices;
using Faster.Engines;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>A session of <see cref="Blobs"/>, used one key at a time; operations may go pending.</summary>
internal sealed class BlobWorker(Blobs.Session session, int valueBytes) : IWorker
{
    private readonly ReadSink _sink = new();
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
            UpsertOne(key, mask);
        _ = Continue();
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            _ = IsDone(session.Rmw(key, _scratch, _sink));
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
                _ = IsDone(session.Rmw(~key, _scratch, _sink));
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
            if (IsDone(session.Read(keys[i], _scratch, out long word, sinks[i])))
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
        return _sink.TakeTold();
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();

    private static bool IsDone(Status status)
    {
        if (status != Status.Pending)
            StoreStatus.RequireOk(status);
        return status == Status.Ok;
    }

    private long ReadOne(long key) =>
        IsDone(session.Read(key, _scratch, out long word, _sink)) ? ValueWord.KeyOf(word) : 0;

    private void UpsertOne(long key, long mask)
    {
        MemoryMarshal.Write(_value, ValueWord.Of(key) ^ mask);
        _ = IsDone(session.Upsert(key, _value, _sink));
    }

    private long Continue()
    {
        _ = session.CompletePending(wait: false);
        return _sink.TakeTold();
    }
}
