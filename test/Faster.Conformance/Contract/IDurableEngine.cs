namespace Faster.Conformance.Contract;

/// <summary>An engine whose stores commit, are recovered, and can be scanned as of a commit.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public interface IDurableEngine<TKey, TValue> : IScannedEngine<TKey, TValue>
    where TKey : notnull
{
    /// <summary>
    /// The configurations whose stores have a folder, and do not commit when they close: what no commit covers is lost,
    /// as by a crash. Their stores have <c>Durability</c>, and opening one recovers what its folder has.
    /// </summary>
    static abstract IReadOnlyList<EngineShape> DurableShapes { get; }
}

/// <summary>An engine that also has shapes whose every operation is durable when it is acknowledged.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public interface IEachDurableEngine<TKey, TValue> : IDurableEngine<TKey, TValue>
    where TKey : notnull;

/// <summary>The commits of one open store.</summary>
/// <param name="CommitAsync">Commits, with a checkpoint of the index or without.</param>
/// <param name="Scannable">The commits whose state can be scanned now, oldest first.</param>
/// <param name="Continue">Starts a named session, or continues it where the last commit has left it.</param>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public sealed record StoreDurability<TKey, TValue>(
    Func<CommitKind, bool, Task<Commit>> CommitAsync, Func<IReadOnlyList<Commit>> Scannable,
    Func<string, NamedSession<TKey, TValue>> Continue);

/// <summary>A session that commits know.</summary>
/// <param name="Session">The session.</param>
/// <param name="Point">Its commit point when it was started.</param>
/// <param name="BeginUnit">Begins several operations under one serial number.</param>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public sealed record NamedSession<TKey, TValue>(
    ISessionUnderTest<TKey, TValue> Session, CommitPoint Point, Func<long, CommitUnit> BeginUnit)
{
    /// <summary>Updates many values under one serial number.</summary>
    public void RmwUnit(TKey[] keys, TValue[] inputs, long serialNumber)
    {
        using CommitUnit unit = BeginUnit(serialNumber);
        Session.RmwBatch(keys, inputs);
        unit.Complete();
    }
}
