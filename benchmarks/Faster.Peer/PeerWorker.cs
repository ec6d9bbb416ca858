using System.Diagnostics;
using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>
/// A session of the peer; up to <see cref="PeerSink.MaxPending"/> of its operations wait for the disk.
/// </summary>
/// <param name="calls">The session.</param>
/// <param name="sink">Takes what went pending.</param>
/// <param name="compactor">Keeps the log near a size; null if it may grow.</param>
internal sealed class PeerWorker<TCalls, TValue>(TCalls calls, PeerSink sink, PeerCompactor<TValue>? compactor)
    : IWorker
    where TCalls : struct, IPeerCalls<TValue>
    where TValue : unmanaged
{
    private readonly TCalls _calls = calls;
    private long _watch; // the start of the operation to watch, which goes with it as its context; or 0

    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long told = 0;
        _calls.Begin();
        foreach (long key in keys)
            told += ReadOne(key);
        return told + End();
    }

    /// <inheritdoc/>
    public long CountAbsent(ReadOnlySpan<long> keys)
    {
        long absent = 0;
        TValue value = default;
        _calls.Begin();
        foreach (long key in keys)
        {
            long asked = key;
            absent += _calls.Read(ref asked, ref value, 0).NotFound ? 1 : 0;
        }

        return absent + End();
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        compactor?.WaitForSpace();
        _calls.Begin();
        TValue value = default;
        foreach (long key in keys)
            UpsertOne(key, mask, ref value);
        _ = End();
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        compactor?.WaitForSpace();
        _calls.Begin();
        foreach (long key in keys)
            RmwOne(key);
        _ = End();
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask)
    {
        long told = 0;
        compactor?.WaitForSpace();
        _calls.Begin();
        TValue value = default;
        foreach (long key in keys)
        {
            if (key >= 0)
                told += ReadOne(key);
            else
                UpsertOne(~key, mask, ref value);
        }

        return told + End();
    }

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys)
    {
        long told = 0;
        compactor?.WaitForSpace();
        _calls.Begin();
        foreach (long key in keys)
        {
            if (key >= 0)
                told += ReadOne(key);
            else
                RmwOne(~key);
        }

        return told + End();
    }

    /// <inheritdoc/>
    public void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        long[] fetched = new long[keys.Length];
        _calls.Begin();
        sink.Words = fetched;
        for (int i = 0; i < keys.Length; i++)
        {
            long key = keys[i];
            TValue value = default;
            if (PeerStatus.IsFound(_calls.Read(ref key, ref value, i + 1)))
                fetched[i] = ValueWord.Of(ref value);
            else
                WaitForSpace();
        }

        _calls.CompletePending(wait: true);
        sink.Words = null;
        _calls.End();
        fetched.CopyTo(words);
    }

    /// <inheritdoc/>
    public long Finish()
    {
        _calls.Begin();
        _calls.CompletePending(wait: true);
        return End();
    }

    /// <inheritdoc/>
    public bool TryWatchNext(LatencyHistogram latencies)
    {
        sink.Latencies = latencies;
        _watch = Stopwatch.GetTimestamp();
        return true;
    }

    /// <inheritdoc/>
    public void Dispose() => _calls.Dispose();

    private long ReadOne(long key)
    {
        TValue value = default;
        return IsDone(PeerStatus.IsFound(_calls.Read(ref key, ref value, _watch)))
            ? ValueWord.KeyOf(ValueWord.Of(ref value))
            : 0;
    }

    private void UpsertOne(long key, long mask, ref TValue value)
    {
        ValueWord.Set(ref value, ValueWord.Of(key) ^ mask);
        _ = IsDone(PeerStatus.IsDone(_calls.Upsert(ref key, ref value, _watch)));
    }

    private void RmwOne(long key)
    {
        long amount = 1;
        _ = IsDone(PeerStatus.IsDone(_calls.Rmw(ref key, ref amount, _watch)));
    }

    private bool IsDone(bool isDone)
    {
        if (isDone && _watch == 0)
            return true;
        long start = _watch;
        _watch = 0;
        if (isDone)
            sink.Watched(start);
        else
            WaitForSpace();
        return isDone;
    }

    private void WaitForSpace()
    {
        sink.Pending++;
        while (sink.Pending >= PeerSink.MaxPending)
        {
            _calls.CompletePending(wait: false);
            if (sink.Pending >= PeerSink.MaxPending)
                Thread.Yield();
        }
    }

    private long End()
    {
        if (sink.Pending != 0)
            _calls.CompletePending(wait: false);
        _calls.End();
        return sink.TakeTold();
    }
}
