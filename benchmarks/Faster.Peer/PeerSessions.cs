using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>Starts clients of the peer's stores.</summary>
internal static class PeerSessions
{
    /// <summary>Starts a client that uses the store in a mode.</summary>
    public static IMixedWorker StartWorker(FasterKV<long, long> store, PeerMode mode) => mode == PeerMode.Best
        ? new UnsafeWorker(StartSession<AtomicAdder>(store))
        : new SafeWorker(StartSession<LockedAdder>(store));

    private static ClientSession<long, long, long, long, Empty, PeerFunctions<TAdder>> StartSession<TAdder>(
        FasterKV<long, long> store)
        where TAdder : struct, IAdder
    {
        PeerFunctions<TAdder> functions = default;
        return store.For(functions).NewSession<PeerFunctions<TAdder>>();
    }
}
