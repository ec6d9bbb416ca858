using Faster.Contracts;

namespace Faster.Crash.Engine;

/// <summary>A session of a store of numbers.</summary>
internal sealed class NumberSession(FasterSession<NoProbe> session) : EngineSession(session)
{
    protected override Status Add(int key, byte[] value)
    {
        var operation = new NumberOperations.Add(BitConverter.ToInt64(value));
        return Session.Rmw(new UnmanagedKey<long>(key), ref operation);
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
}
