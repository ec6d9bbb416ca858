using Faster.Devices;

namespace Faster;

/// <summary>
/// Options for opening a store. The defaults suit a small service: a 64 MiB budget, hybrid log, unbuffered files.
/// Immutable.
/// </summary>
public sealed record StoreOptions : LogStoreOptions
{
    /// <summary>The smallest <see cref="EngineOptions.MemoryBudget"/> that a store can work with: 256 KiB.</summary>
    public static ByteSize MinMemoryBudget => ByteSize.KiB(256);

    /// <summary>The number of keys to size the index for; 0 for a small index that grows on its own.</summary>
    public long ExpectedKeys { get; init; }

    /// <summary>Specifies where records are stored (paper 000, Fig. 1).</summary>
    public RecordAllocatorKind Allocator { get; init; } = RecordAllocatorKind.Hybrid;

    /// <summary>
    /// The device that holds the log; null for segmented files in the store's folder. Once the store is open it owns
    /// the device and disposes it on close. If opening fails, the device still belongs to the caller, is unchanged, and
    /// may be used for another attempt.
    /// </summary>
    public Device? Device { get; init; }
}

/// <summary>Specifies where records are stored (paper 000, Fig. 1).</summary>
public enum RecordAllocatorKind
{
    /// <summary>A log in memory and on disk, whose newer part is updated in place (000 §6).</summary>
    Hybrid,

    /// <summary>A log in memory and on disk that is only appended to (000 §5).</summary>
    AppendOnly,

    /// <summary>Memory only; deleted records are spliced out and their space is reused (000 §4).</summary>
    InMemory,
}
