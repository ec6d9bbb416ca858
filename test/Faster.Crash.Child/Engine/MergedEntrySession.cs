using Faster.Contracts;

namespace Faster.Crash.Engine;

/// <summary>A session of a store of entries that merges.</summary>
internal sealed class MergedEntrySession(FasterSession<NoProbe> session) : EntrySession(session)
{
    protected override Status Add(int key, byte[] value)
    {
        var operation = new MergedEntryOperations.Append(value);
        return Session.Rmw(KeyOf(key), ref operation);
    }

    protected override Task? AddAsync(int key, byte[] value)
    {
        var awaited = new Awaited();
        var operation = new MergedEntryOperations.Append(value, awaited);
        return Session.Rmw(KeyOf(key), ref operation) == Status.Pending ? awaited.Task : null;
    }

    protected override void AddToAll(IReadOnlyList<int> keys, byte[] value, long serialNumber)
    {
        var batch = new MergedBatch(keys, value);
        Session.RmwBatch<BytesKey, MergedEntryOperations.Append, MergedBatch>(ref batch, serialNumber);
    }

    protected override Status Read(int key, Found found)
    {
        var operation = new MergedEntryOperations.Read(found);
        return Session.Read(KeyOf(key), ref operation);
    }

    private readonly struct MergedBatch(IReadOnlyList<int> keys, byte[] bytes)
        : IBatch<BytesKey, MergedEntryOperations.Append>
    {
        public int Count => keys.Count;

        public BytesKey GetKey(int index) => KeyOf(keys[index]);

        public MergedEntryOperations.Append GetOperation(int index) => new(bytes);

        public void SetResult(int index, Status status, ref MergedEntryOperations.Append operation) { }
    }
}
