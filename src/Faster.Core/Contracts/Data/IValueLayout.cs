namespace Faster.Contracts;

/// <summary>What an engine must know of a store's values at compile time. Implementations are structs.</summary>
public interface IValueLayout
{
    /// <summary>The size of every value in bytes; 0 when values vary in length.</summary>
    static abstract int ValueSize { get; }

    /// <summary>
    /// Whether updates run under the record's latch bit. False where they take effect by one atomic store or swap and
    /// always fit, and under <c>Concurrency.User</c>, where the user's code brings its own atomics.
    /// </summary>
    static abstract bool LatchesUpdates { get; }

    /// <summary>
    /// Whether concurrent reads run under the record's latch bit. False under <c>Concurrency.User</c>, and when a value
    /// has up to eight bytes and the reader loads it by one atomic read.
    /// </summary>
    static abstract bool LatchesReads { get; }
}
