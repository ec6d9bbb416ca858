using Faster.Contracts;

namespace Faster.Crash.Engine;

/// <summary>A session of a store of entries.</summary>
/// <param name="session">The session.</param>
internal sealed class EntrySession(ICommitSession session)
    : EntrySession<EntryOperations.Read, EntryOperations.Append>(
        session, static found => new(found), static (entry, awaited) => new(entry, awaited));

/// <summary>A session of a store of entries, by the operations that it reads and appends with.</summary>
/// <param name="session">The session.</param>
/// <param name="read">Makes a read.</param>
/// <param name="append">Makes an append.</param>
/// <typeparam name="TRead">How entries are read.</typeparam>
/// <typeparam name="TAppend">How entries are appended.</typeparam>
internal class EntrySession<TRead, TAppend>(
    ICommitSession session, Func<Found, TRead> read, Func<byte[], Awaited?, TAppend> append)
    : EngineSession(session)
    where TRead : struct, IReadOperation
    where TAppend : struct, IRmwOperation
{
    protected override Status Add(int key, byte[] value)
    {
        TAppend operation = append(value, null);
        return Session.Rmw(KeyOf(key), ref operation);
    }

    protected override Task? AddAsync(int key, byte[] value)
    {
        var awaited = new Awaited();
        TAppend operation = append(value, awaited);
        return Session.Rmw(KeyOf(key), ref operation) == Status.Pending ? awaited.Task : null;
    }

    protected override void AddToAll(IReadOnlyList<int> keys, byte[] value, long serialNumber)
    {
        var batch = new Batch(keys, value, append);
        Session.RmwBatch<BytesKey, TAppend, Batch>(ref batch, serialNumber);
    }

    protected override TransactionStatus Transfer(IReadOnlyList<int> keys, byte[] value, bool commits)
    {
        var pair = new Pair(keys);
        var transfer = new EntryOperations.Transfer(value, commits);
        return Transactions.Run<BytesKey, Pair, EntryOperations.Transfer>(ref pair, ref transfer);
    }

    protected override Status Put(int key, byte[] value)
    {
        var operation = new EntryOperations.Put(value);
        return Session.Upsert(KeyOf(key), ref operation);
    }

    protected override Status Delete(int key)
    {
        var operation = new EntryOperations.Delete();
        return Session.Delete(KeyOf(key), ref operation);
    }

    protected override Status Read(int key, Found found)
    {
        TRead operation = read(found);
        return Session.Read(KeyOf(key), ref operation);
    }

    private static BytesKey KeyOf(int key) => new(BitConverter.GetBytes(key));

    private readonly struct Pair(IReadOnlyList<int> keys) : IKeySet<BytesKey>
    {
        public static int FixedCount => 2;

        public static bool IsReadOnly => false;

        public int Count => 2;

        public BytesKey GetKey(int index) => KeyOf(keys[index]);

        public RecordAccess GetAccess(int index) => RecordAccess.Write;
    }

    private readonly struct Batch(IReadOnlyList<int> keys, byte[] bytes, Func<byte[], Awaited?, TAppend> append)
        : IBatch<BytesKey, TAppend>
    {
        public int Count => keys.Count;

        public BytesKey GetKey(int index) => KeyOf(keys[index]);

        public TAppend GetOperation(int index) => append(bytes, null);

        public void SetResult(int index, Status status, ref TAppend operation) { }
    }
}
