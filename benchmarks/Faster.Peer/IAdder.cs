namespace Faster.Peer;

/// <summary>How an update in place adds. Implementations are empty structs, so that the JIT inlines them.</summary>
internal interface IAdder
{
    /// <summary>Adds to a value that other threads may be adding to.</summary>
    static abstract void Add(ref long value, long amount);
}

/// <summary>Adds under a lock that the store holds.</summary>
internal readonly struct LockedAdder : IAdder
{
    /// <inheritdoc/>
    public static void Add(ref long value, long amount) => value += amount;
}

/// <summary>Adds atomically, where the store takes no lock.</summary>
internal readonly struct AtomicAdder : IAdder
{
    /// <inheritdoc/>
    public static void Add(ref long value, long amount) => Interlocked.Add(ref value, amount);
}
