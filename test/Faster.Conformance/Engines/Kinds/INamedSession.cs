namespace Faster.Conformance.Engines.Kinds;

/// <summary>A session that is continued by its name, if its engine commits.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
internal interface INamedSession<in TKey, in TValue>
{
    /// <summary>Where the last commit has left it.</summary>
    CommitPoint RecoveredPoint { get; }

    /// <summary>Updates keys under one number.</summary>
    void RmwUnit(TKey[] keys, TValue[] inputs, long serialNumber);
}
