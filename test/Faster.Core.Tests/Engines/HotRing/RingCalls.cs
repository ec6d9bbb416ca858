using Faster.Contracts;
using Faster.Devices.IOUring;
using Faster.Engines.HotRing;
using Faster.Tests.Operations;

namespace Faster.Tests.Engines.HotRing;

/// <summary>Operations on a store of numbers, by their keys.</summary>
internal static class RingCalls
{
    public static readonly RecordSchema Schema = new(8, 8, 8, "key", "number");

    /// <summary>Waits while the index is being doubled.</summary>
    public static void WaitForRehash(HotRingStore store)
    {
        if (!store.Index.IsRehashing) return;
        bool hasEnded = SpinWait.SpinUntil(() => !store.Index.IsRehashing, TestBudget.StallTimeout);
        Assert.True(hasEnded, "The rehash does not end");
    }

    public static Status Put(HotRingSession session, long key)
    {
        var put = new ProbedOperations.Put<SwapShape>(key, 8);
        return session.Upsert(new UnmanagedKey<long>(key), ref put);
    }

    public static Status Get(HotRingSession session, long key)
    {
        var get = default(ProbedOperations.Get<SwapShape>);
        return session.Read(new UnmanagedKey<long>(key), ref get);
    }

    public static Status Remove(HotRingSession session, long key)
    {
        var remove = default(ProbedOperations.Remove<SwapShape>);
        return session.Delete(new UnmanagedKey<long>(key), ref remove);
    }
}
