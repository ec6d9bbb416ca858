using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// The properties of a store's values that an engine needs at compile time. Implementations are structs.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IValueLayout
{
    /// <summary>The size of every value in bytes; 0 if values vary in length.</summary>
    static abstract int ValueSize { get; }

    /// <summary>
    /// Whether updates run under the record's latch bit. False if they take effect by one atomic store or swap and
    /// always fit, and under <c>Concurrency.User</c>, where the user's code uses its own atomics.
    /// </summary>
    static abstract bool LatchesUpdates { get; }

    /// <summary>
    /// Whether concurrent reads run under the record's latch bit. False under <c>Concurrency.User</c>, and if a value
    /// has up to eight bytes and the reader loads it by one atomic read.
    /// </summary>
    static abstract bool LatchesReads { get; }
}
