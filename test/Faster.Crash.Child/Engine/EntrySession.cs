using Faster.Contracts;

namespace Faster.Crash.Engine;

/// <summary>A session of a store of entries.</summary>
internal class EntrySession(FasterSession<NoProbe> session) : EngineSession(session)
{
    protected override Status Add(int key, byte[] value)
    {
        var operation = new EntryOperations.Append(value);
        return Session.Rmw(KeyOf(key), ref operation);
    }

    protected override Task? AddAsync(int key, byte[] value)
    {
        var awaited = new Awaited();
        var operation = new EntryOperations.Append(value, awaited);
        return Session.Rmw(KeyOf(key), ref operation) == Status.Pending ? awaited.Task : null;
    }

    protected override void AddToAll(IReadOnlyList<int> keys, byte[] value, long serialNumber)
    {
        var batch = new Batch(keys, value);
        Session.RmwBatch<BytesKey, EntryOperations.Append, Batch>(ref batch, serialNumber);
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
        var operation = new EntryOperations.Read(found);
        return Session.Read(KeyOf(key), ref operation);
    }

    protected static BytesKey KeyOf(int key) => new(BitConverter.GetBytes(key));

    private readonly struct Batch(IReadOnlyList<int> keys, byte[] bytes) : IBatch<BytesKey, EntryOperations.Append>
    {
        public int Count => keys.Count;

        public BytesKey GetKey(int index) => KeyOf(keys[index]);

        public EntryOperations.Append GetOperation(int index) => new(bytes);

        public void SetResult(int index, Status status, ref EntryOperations.Append operation) { }
    }
}
