using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Engines;

namespace Faster.Ycsb.Engines;

/// <summary>Reaches the commits of the engine behind a generated store and session.</summary>
internal static class StoreCommits
{
    /// <summary>Commits.</summary>
    public static Task CommitAsync(this Numbers.Store store, CommitKind kind, bool withIndex) =>
        EngineOf(store).CommitAsync(kind, withIndex);

    /// <summary>The number of the last operation that was accepted.</summary>
    public static long AcceptedNumber(this Numbers.Session session) => EngineOf(session).SerialNumber;

    /// <summary>Has something called with each commit point.</summary>
    public static void SetOnCommit(this Numbers.Session session, Action<CommitPoint> onCommit) =>
        EngineOf(session).OnCommit = onCommit;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_engine")]
    private static extern ref FasterStore<NoProbe> EngineOf(Numbers.Store store);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_session")]
    private static extern ref FasterSession<NoProbe> EngineOf(Numbers.Session session);
}
