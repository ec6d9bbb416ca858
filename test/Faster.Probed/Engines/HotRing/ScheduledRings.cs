using Faster.Contracts;
using Faster.Engines.HotRing;
using Faster.Engines.HotRing.Rings;
using Faster.Analytics.Scans;
using Faster.Epochs;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.HotRing;

/// <summary>The sessions that ship, over a store of few rings, under a controlled scheduler.</summary>
internal sealed unsafe class ScheduledRings<TShape> : IDisposable
    where TShape : struct, IShape
{
    private readonly HotRingSession[] _sessions;

    /// <summary>Makes a store with sessions and keys, whose values are a thousand times the key.</summary>
    public ScheduledRings(
        int sessions, long[] keys, HotspotStrategy strategy = HotspotStrategy.RandomMovement, int interval = 1000)
    {
        Store = new HotRingStore(
            new HotRingOptions
            {
                MemoryBudget = HotRingOptions.MinMemoryBudget, Buckets = 1, MaxAccesses = double.PositiveInfinity,
                Strategy = strategy, HotspotInterval = interval,
            },
            new RecordSchema(8, 8, TShape.ValueSize, "key", "number"));
        Store.Index.LeastAtOnce = 8; // so that a rehash splits the 16 rings in two parts
        _sessions = new HotRingSession[sessions];
        for (int i = 0; i < sessions; i++) _sessions[i] = Store.StartSession();
        foreach (long key in keys) Put(0, key, key * 1000);
    }

    public HotRingStore Store { get; }

    public EpochTable Epochs => Store.Epochs;

    /// <summary>The key at the head of the first ring.</summary>
    public long HotKey => HotKeyBeside(0);

    /// <summary>Whether accesses to the first ring are being counted.</summary>
    public bool IsSampling => HeadWord.IsSampling(*Store.Index.State.View.HeadOf(0));

    /// <summary>The key at the head of the ring of a key.</summary>
    public long HotKeyBeside(long key)
    {
        byte* item = (byte*)HeadWord.Address(*Store.Index.State.View.HeadOf(RingKey.HashOf(key)));
        return *(long*)(item + ItemLayout.KeyOffset);
    }

    public long? Get(int session, long key)
    {
        var operation = default(ProbedOperations.Get<TShape>);
        Status status = _sessions[session].Read(new RingKey(key), ref operation);
        return status == Status.Ok ? operation.Value : null;
    }

    public void Put(int session, long key, long number)
    {
        var operation = new ProbedOperations.Put<TShape>(number, 16);
        Assert.Equal(Status.Ok, _sessions[session].Upsert(new RingKey(key), ref operation));
    }

    public Status Add(int session, long key, long amount)
    {
        int length = TShape.ValueSize != 0 ? TShape.ValueSize : 16;
        var operation = new ProbedOperations.Add<TShape>(amount, length);
        return _sessions[session].Rmw(new RingKey(key), ref operation);
    }

    public Status Remove(int session, long key)
    {
        var operation = default(ProbedOperations.Remove<TShape>);
        return _sessions[session].Delete(new RingKey(key), ref operation);
    }

    /// <summary>The keys that a scan returns, in its order.</summary>
    public List<long> Scan(int session)
    {
        var copies = new RecordCopies(Store.Schema);
        var keys = new List<long>();
        ICopyingSession copying = _sessions[session];
        for (ulong from = copying.CopyRecords(0, copies); from != 0;) from = copying.CopyRecords(from, copies);
        while (copies.TryTake(out RecordView record)) keys.Add(BitConverter.ToInt64(record.Key));
        return keys;
    }

    /// <summary>Doubles the index.</summary>
    public void Rehash()
    {
        Assert.True(TryRehash(), "A rehash begins");
    }

    /// <summary>Doubles the index, unless another thread is doing that.</summary>
    public bool TryRehash()
    {
        if (!Store.TryBeginRehash()) return false;
        Store.Rehash();
        Assert.Null(Store.Statistics.LastFault);
        return true;
    }

    /// <summary>Checks the rings and their content, and closes the store.</summary>
    public void Check(params (long Key, long Number)[] expected)
    {
        Assert.Equal(expected.Select(static one => one.Key).Order(), RingCheck.Keys(Store).Order());
        foreach ((long key, long number) in expected) Assert.Equal(number, Get(0, key));
        Assert.Equal(expected.Length, Store.Statistics.Records);
        Dispose();
    }

    public void Dispose() => Store.Dispose();
}
