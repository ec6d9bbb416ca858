namespace Faster.Conformance.Contract;

/// <summary>An engine whose stores the suite can open: all that a new engine must implement.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public interface IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    /// <summary>What its keys, values and inputs look like.</summary>
    static abstract Flavor<TKey, TValue> Flavor { get; }

    /// <summary>The configurations that every test runs on.</summary>
    static abstract IReadOnlyList<EngineShape> Shapes { get; }

    /// <summary>
    /// Whether a read-modify-write of a record on disk reads it: false where values are merged from deltas.
    /// </summary>
    static virtual bool RmwReadsDisk => true;

    /// <summary>The most bytes of one input of a read-modify-write.</summary>
    static virtual int MaxInputBytes => int.MaxValue;

    /// <summary>Opens an empty store.</summary>
    /// <param name="shape">One of <see cref="Shapes"/>.</param>
    /// <param name="folder">An empty folder of the store's own; the suite deletes it.</param>
    /// <param name="expectedKeys">
    /// How many keys to prepare for; 0 for as few as possible, so that the index must grow.
    /// </param>
    static abstract ValueTask<IStoreUnderTest<TKey, TValue>> OpenAsync(
        EngineShape shape, string folder, long expectedKeys);
}

/// <summary>One configuration of an engine.</summary>
/// <param name="Name">The name in the tests' display names, such as «hybrid on files».</param>
/// <param name="RecordMemory">About the memory that records have before they spill.</param>
/// <param name="Spills">Whether the store holds more data than the budget, elsewhere than in memory.</param>
/// <param name="IsTypical">Whether suites that depend little on the shape also run on it by default.</param>
public sealed record EngineShape(string Name, ByteSize RecordMemory, bool Spills, bool IsTypical = true)
{
    /// <summary>
    /// Whether each operation is durable when it is acknowledged. Such a store commits when it is made and when its
    /// logs are half full; and what other sessions make of a unit that is not complete may survive a crash that the
    /// unit does not, unless <see cref="HoldsUpAfterUnits"/>.
    /// </summary>
    public bool IsEachDurable { get; init; }

    /// <summary>Whether nothing is acknowledged that may have been made of a unit that is not complete.</summary>
    public bool HoldsUpAfterUnits { get; init; }
}
