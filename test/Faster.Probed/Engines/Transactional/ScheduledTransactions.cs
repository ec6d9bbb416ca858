using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Epochs;
using Faster.Index.Resizing;
using Faster.Log.Records;
using Faster.Tables;
using Faster.Tests.Engines.Transactional.Histories;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Transactional;

/// <summary>
/// The sessions that ship, under a controlled scheduler, with records in one bucket: in one hash chain, or in one each,
/// whose hashes have another order than the keys; or with the hashes of a store, for an index that grows.
/// </summary>
internal sealed unsafe class ScheduledTransactions : IDisposable
{
    private readonly bool _oneChain, _hashes;
    private readonly TransactionalSession[] _sessions;
    private readonly RecordedTransactions<ChainKey>[] _recorded;
    private readonly RecordedTransactions<ChainKey> _last;
    private readonly EpochSlot* _resizeSlot;

    public ScheduledTransactions(int sessions, bool oneChain = true, bool readsLock = false, bool hashes = false)
    {
        (_oneChain, _hashes) = (oneChain, hashes);
        Store = TransactionCalls.Open(
            new() { MemoryBudget = TransactionalOptions.MinMemoryBudget, ReadsLock = readsLock });
        _sessions = [.. Enumerable.Range(0, sessions).Select(_ => Store.StartSession())];
        _recorded = [.. _sessions.Select((session, i) => new RecordedTransactions<ChainKey>(session, i + 1, KeyOf))];
        _last = new RecordedTransactions<ChainKey>(Store.StartSession(), sessions + 1, KeyOf);
        _resizeSlot = Store.Core.Epochs.Acquire("resize");
    }

    public TransactionalStore Store { get; }

    /// <summary>Runs transactions that are recorded: each gives the records that it writes new values.</summary>
    public void Run(int session, long[] written, long[] read) => _recorded[session].Run(written, read);

    /// <summary>Runs a transaction that is not.</summary>
    public TransactionStatus Run(int session, long[] written, long[] read, TransactionBody body) =>
        _sessions[session].Run(
            [.. written.Select(KeyOf)], [.. read.Select(KeyOf)], new TransactionCalls.LongTransaction(body));

    /// <summary>The values of some records together; -1 for what is absent.</summary>
    public long[] ReadAll(int session, params long[] keys)
    {
        long[] values = new long[keys.Length];
        _ = Run(session, [], keys, records =>
        {
            for (int i = 0; i < values.Length; i++) values[i] = records.Exists(i) ? records.Read<long>(i) : -1;
            return true;
        });
        return values;
    }

    /// <summary>Sets the values of some records together.</summary>
    public void Set(int session, long value, params long[] keys) => _ = Run(session, keys, [], records =>
    {
        for (int i = 0; i < keys.Length; i++) records.Write<long>(i) = value;
        return true;
    });

    /// <summary>Deletes some records together.</summary>
    public void Delete(int session, params long[] keys) => _ = Run(session, keys, [], records =>
    {
        for (int i = 0; i < keys.Length; i++) records.Delete(i);
        return true;
    });

    public void Put(int session, long key, long number)
    {
        var put = new ProbedOperations.Put<WordShape>(number, 8);
        Assert.Equal(Status.Ok, _sessions[session].Upsert(KeyOf(key), ref put));
    }

    public Status Add(int session, long key, long number)
    {
        var add = new ProbedOperations.Add<WordShape>(number, 8);
        return _sessions[session].Rmw(KeyOf(key), ref add);
    }

    public long? Get(int session, long key)
    {
        var get = default(ProbedOperations.Get<WordShape>);
        return _sessions[session].Read(KeyOf(key), ref get) == Status.Ok ? get.Value : null;
    }

    public Status Remove(int session, long key)
    {
        var remove = default(ProbedOperations.Remove<WordShape>);
        return _sessions[session].Delete(KeyOf(key), ref remove);
    }

    /// <summary>Doubles the index.</summary>
    public void Grow()
    {
        Store.Tier.Index.ByteLimit = long.MaxValue;
        Assert.True(Store.Tier.Index.TryStart(ResizeKind.Split, Store.Tier.Memory.Chains, static () => { }));
        Assert.True(Store.Tier.Index.DriveResize(_resizeSlot, static () => true));
    }

    /// <summary>Reads the records, and checks that all transactions that were recorded have an order.</summary>
    public void AssertSerializable(params long[] keys)
    {
        _last.Run([], keys);
        string? violation = SerializabilityChecker.FindViolation(
            [.. _recorded.Append(_last).Select(static one => one.Committed)]);
        Assert.True(violation is null, violation);
        Dispose();
    }

    /// <summary>Checks that no record is linked that was taken out.</summary>
    public void AssertNoneGone()
    {
        Assert.Equal(Outcome.Ok, Store.Tier.Index.FindChain(ChainKey.OneHash, out long address));
        for (; address != 0; address = RecordHeader.Previous(RecordHeader.Read((byte*)address)))
        {
            Assert.True(
                LockWord.IsReadable(*RecordTable.WordOf((byte*)address)), "A record that is gone is still linked");
        }
    }

    /// <summary>Closes the store: no lock is left, or an end would hang.</summary>
    public void Dispose()
    {
        foreach (TransactionalSession session in _sessions) session.Dispose();
        Store.Core.Epochs.Release(_resizeSlot);
        Store.Dispose();
    }

    // The top bits decide the order, the tag, and the word of absent keys; the others the bucket.
    private ChainKey KeyOf(long key) => _hashes
        ? new ChainKey(key, new UnmanagedKey<long>(key).Hash(Store.Tier.Seed))
        : _oneChain ? new ChainKey(key)
        : new ChainKey(key, (ChainKey.OneHash >> 8) | ((ulong)(byte)(key * 91) << 56));
}
