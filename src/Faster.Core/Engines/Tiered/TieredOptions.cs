using Faster.Devices;

namespace Faster;

/// <summary>
/// Options for opening a store of the engine F2 (paper 003 §4.3). The defaults suit a small service. Immutable.
/// </summary>
public sealed record TieredOptions : LogStoreOptions
{
    /// <summary>The smallest <see cref="EngineOptions.MemoryBudget"/> that a store can work with: 2 MiB.</summary>
    public static ByteSize MinMemoryBudget => ByteSize.MiB(2);

    /// <summary>
    /// The cold tier's share of <see cref="EngineOptions.MemoryBudget"/>, above 0 and below 1, at least 512 KiB. The
    /// directory of its index comes first; the rest is for chunks of the index, for the cold log, and for records on
    /// their way to it. 0: 22 %; or, where the directory and packed copies of all chunks take at most a third of the
    /// memory, these and 20 %, so that a cold record is one read away. Of less than 10 MiB at most a quarter takes the
    /// place of both.
    /// </summary>
    public double ColdFraction { get; init; }

    /// <summary>
    /// The size of the hot log, on its device and in memory, from which its oldest two fifths move to the cold log; 0
    /// for two to four times its memory, above twice at most an eighth of <see cref="LogStoreOptions.DiskBudget"/>, and
    /// at most half of it.
    /// </summary>
    public ByteSize HotLogSize { get; init; }

    /// <summary>
    /// The number of cold keys to size the cold index for: 8 bytes of memory for each chunk. More keys make chains
    /// longer. 0 for as many as a sixteenth of the cold tier's memory has chunks for. An existing store keeps its
    /// number of chunks.
    /// </summary>
    public long ExpectedColdKeys { get; init; }

    /// <summary>
    /// The number of hot keys to size the hot index for, which grows on its own if they are more; 0 for as many as the
    /// hot log has space for, in a third of the hot tier's memory at most, or a small index where records vary in size.
    /// </summary>
    public long ExpectedHotKeys { get; init; }

    /// <summary>
    /// The size of a chunk of the cold index: a power of two from 64 to 4,096 bytes. Smaller ones take more memory,
    /// larger ones more writes (003 §6). 0: 256 bytes, or more where <see cref="ExpectedColdKeys"/> would otherwise
    /// take more than a sixteenth of <see cref="EngineOptions.MemoryBudget"/>. An existing store keeps its own.
    /// </summary>
    public ByteSize ChunkSize { get; init; }

    /// <summary>
    /// The device of the hot log; null for segmented files in the store's folder, or for memory that is not counted if
    /// the store has no folder. Once the store is open it owns the device. If opening fails, the device still belongs
    /// to the caller.
    /// </summary>
    public Device? HotDevice { get; init; }

    /// <summary>
    /// Another folder for the cold log and the cold index, perhaps on a slower disk; null for the store's folder. It is
    /// locked and checked as the store's is, belongs to one store, and is named again at each opening. An existing
    /// store keeps its cold tier where it was made: in its own folder, or apart from it.
    /// </summary>
    public string? ColdFolder { get; init; }

    /// <summary>The device of the cold log, as <see cref="HotDevice"/>; it may be slower.</summary>
    public Device? ColdDevice { get; init; }

    /// <summary>The device of the cold index, as <see cref="HotDevice"/>.</summary>
    public Device? ColdIndexDevice { get; init; }
}
