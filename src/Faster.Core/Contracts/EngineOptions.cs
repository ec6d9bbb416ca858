using System.ComponentModel;

namespace Faster;

/// <summary>The options that the stores of all engines have. Immutable.</summary>
/// <remarks>
/// An option is honored or rejected, never ignored. If an option differs from its default and the requested form of
/// store cannot honor it (for example <see cref="CommittingStoreOptions.CommitEvery"/> without a folder), opening fails
/// with a <see cref="StoreOpenException"/> that names both.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract record EngineOptions
{
    /// <summary>Makes the options of an engine.</summary>
    protected EngineOptions()
    {
    }

    /// <summary>
    /// The memory for everything that the store keeps: index, records, caches and buffers together. While the store is
    /// open the process grows by at most this plus a tenth, no matter how much data passes through. A store that keeps
    /// all records in memory is limited by it; others keep the data beyond it on disk, or without a folder on an
    /// in-memory device that is not counted. Opening refuses a budget above what the process may use (the machine's
    /// memory, the limit of a container) with a <see cref="StoreOpenException"/>.
    /// </summary>
    public ByteSize MemoryBudget { get; init; } = ByteSize.MiB(64);

    /// <summary>
    /// Whether opening the store touches the memory of its index and records, so that no operation waits later for the
    /// system to provide it: opening takes longer, and the process has the memory from the start. What a growing index
    /// could take is not touched, nor, where records are on disk already, what the read cache could, nor memory that a
    /// log has given back when it outgrew its memory.
    /// </summary>
    public bool PopulateMemory { get; init; }

    /// <summary>
    /// How long closing the store waits for calls in progress before it fails; above zero. User functions must return
    /// quickly.
    /// </summary>
    public TimeSpan CloseTimeout { get; init; } = TimeSpan.FromSeconds(30);
}
