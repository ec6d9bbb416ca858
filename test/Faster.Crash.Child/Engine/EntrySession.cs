using Faster.Contracts;

namespace Faster.Crash.Engine;

/// <summary>A session of a store of entries.</summary>
internal sealed class EntrySession(FasterSession<NoProbe> session) : EngineSession(session)
{
    protected override Status Add(int key, byte[] value)
    {
        var operation = new EntryOperations.Append(value);
        return Session.Rmw(KeyOf(key), ref operation);
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

    private static BytesKey KeyOf(int key) => new(BitConverter.GetBytes(key));
}
