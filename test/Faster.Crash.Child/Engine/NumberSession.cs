using Faster.Contracts;

namespace Faster.Crash.Engine;

/// <summary>A session of a store of numbers.</summary>
/// <param name="session">The session.</param>
internal sealed class NumberSession(ICommitSession session) : EngineSession(session)
{
    protected override Status Add(int key, byte[] value)
    {
        var operation = new NumberOperations.Add(BitConverter.ToInt64(value));
        return Session.Rmw(new UnmanagedKey<long>(key), ref operation);
    }

    protected override Task? AddAsync(int key, byte[] value)
    {
        var awaited = new Awaited();
        var operation = new NumberOperations.Add(BitConverter.ToInt64(value), awaited);
        return Session.Rmw(new UnmanagedKey<long>(key), ref operation) == Status.Pending ? awaited.Task : null;
    }

    protected override void AddToAll(IReadOnlyList<int> keys, byte[] value, long serialNumber)
    {
        var batch = new Batch(keys, BitConverter.ToInt64(value));
        Session.RmwBatch<UnmanagedKey<long>, NumberOperations.Add, Batch>(ref batch, serialNumber);
    }

    protected override TransactionStatus Transfer(IReadOnlyList<int> keys, byte[] value, bool commits)
    {
        var pair = new Pair(keys);
        var transfer = new NumberOperations.Transfer(BitConverter.ToInt64(value), commits);
        return Transactions.Run<UnmanagedKey<long>, Pair, NumberOperations.Transfer>(ref pair, ref transfer);
    }

    protected override Status Put(int key, byte[] value)
    {
        var operation = new NumberOperations.Put(BitConverter.ToInt64(value));
        return Session.Upsert(new UnmanagedKey<long>(key), ref operation);
    }

    protected override Status Delete(int key)
    {
        var operation = new NumberOperations.Delete();
        return Session.Delete(new UnmanagedKey<long>(key), ref operation);
    }

    protected override Status Read(int key, Found found)
    {
        var operation = new NumberOperations.Read(found);
        return Session.Read(new UnmanagedKey<long>(key), ref operation);
    }

    private readonly struct Pair(IReadOnlyList<int> keys) : IKeySet<UnmanagedKey<long>>
    {
        public static int FixedCount => 2;

        public static bool IsReadOnly => false;

        public int Count => 2;

        public UnmanagedKey<long> GetKey(int index) => new UnmanagedKey<long>(keys[index]);

        public RecordAccess GetAccess(int index) => RecordAccess.Write;
    }

    private readonly struct Batch(IReadOnlyList<int> keys, long amount)
        : IBatch<UnmanagedKey<long>, NumberOperations.Add>
    {
        public int Count => keys.Count;

        public UnmanagedKey<long> GetKey(int index) => new UnmanagedKey<long>(keys[index]);

        public NumberOperations.Add GetOperation(int index) => new(amount);

        public void SetResult(int index, Status status, ref NumberOperations.Add operation) { }
    }
}
