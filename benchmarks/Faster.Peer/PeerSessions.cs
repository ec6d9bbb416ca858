using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>Starts clients of the peer's stores.</summary>
internal static class PeerSessions
{
    /// <summary>Starts a client that uses the store in a mode.</summary>
    public static IWorker StartWorker<TValue>(
        FasterKV<long, TValue> store, PeerMode mode, PeerCompactor<TValue>? compactor = null)
        where TValue : unmanaged
    {
        var sink = new PeerSink();
        return mode == PeerMode.Best
            ? new PeerWorker<UnsafeCalls<TValue, AtomicAdder>, TValue>(
                new UnsafeCalls<TValue, AtomicAdder>(StartSession<TValue, AtomicAdder>(store, sink)), sink, compactor)
            : new PeerWorker<SafeCalls<TValue, LockedAdder>, TValue>(
                new SafeCalls<TValue, LockedAdder>(StartSession<TValue, LockedAdder>(store, sink)), sink, compactor);
    }

    /// <summary>Starts a session of the store.</summary>
    public static ClientSession<long, TValue, long, TValue, long, PeerFunctions<TValue, TAdder>>
        StartSession<TValue, TAdder>(FasterKV<long, TValue> store, PeerSink sink)
        where TValue : unmanaged
        where TAdder : struct, IAdder
    {
        var functions = new PeerFunctions<TValue, TAdder>(sink);
        return store.For(functions).NewSession<PeerFunctions<TValue, TAdder>>();
    }
}
