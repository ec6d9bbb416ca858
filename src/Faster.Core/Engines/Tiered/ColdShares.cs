using Faster.Checkpoints.Files;
using Faster.HashChunks;
using Faster.Opening;

namespace Faster.Engines.Tiered;

/// <summary>The division of the cold tier's memory. Immutable; thread-safe.</summary>
/// <remarks>
/// <para>The directory of the cold index comes first. If the store may choose, and copies of all hash chunks take no
/// more than a part of its memory, they come next: then no operation reads a chunk from disk, and a record below is one
/// read away. What is left is for the index's log and buffers, for the cold log, and for the batches of records that
/// are copied to it together: the more they are, the more changes of the index one read or one copy of a chunk serves.
/// Where there is little memory, index and log have half each, and the least is copied at a time.</para>
/// </remarks>
/// <param name="Total">All of it, in bytes.</param>
/// <param name="Index">The index's part, with the directory and <paramref name="Stage"/>.</param>
/// <param name="Stage">For copies of all chunks; 0: for some of them, as the index divides its part.</param>
/// <param name="Log">The cold log's part.</param>
/// <param name="Copying">The part of records that are copied; 0: only what is needed.</param>
internal readonly record struct ColdShares(long Total, long Index, long Stage, long Log, long Copying)
{
    private const double UsualFraction = 0.22, FractionBesideChunks = 0.2; // of the store's memory
    private const long MinOfFraction = 2 << 20; // or a quarter of the memory if that is less
    private const double UsualIndex = 0.33, UsualLog = 0.13; // of what the directory leaves
    private const double IndexBesideStage = 0.2, LogBesideStage = 0.15; // of what directory and copies leave
    private const double MostForChunks = 1.0 / 3; // of the store's memory, for the directory and copies of all chunks
    private const double MostForLog = 0.27; // where pages are large
    private const long PagesAtLeast = 8, MinLog = 512 << 10;
    private const long MinDivided = 1 << 20; // from so much memory beside the directory on
    private const int MaxDirectoryPart = 16; // of the memory: larger chunks have a smaller directory
    private const int KeysPerChunkByte = 16; // a chunk of 256 bytes for 16 keys
    private const int PartForDirectory = 64; // of half of the cold tier's memory in bytes, for each chunk

    /// <summary>Divides the memory of a store.</summary>
    /// <param name="options">The store's options.</param>
    /// <param name="existing">What does not change of the index of an existing store; null for a new one.</param>
    /// <param name="stagesAll">Whether there may be copies of all chunks.</param>
    public static ColdShares Of(TieredOptions options, ColdIndexShape? existing, bool stagesAll = true)
    {
        int chunkBytes = existing?.ChunkBytes ?? ChunkBytes(options);
        long count = existing?.ChunkCount ?? ChunkIndexPlan.ChunksFor(Keys(options), chunkBytes);
        long directory = count * sizeof(long);
        long stage = stagesAll ? StageFor(options, count, chunkBytes) : 0, memory = stage == 0
            ? UsualBytes(options)
            : directory + stage + PartOf(options, FractionBesideChunks);
        long rest = memory - directory - stage;
        if (rest < MinDivided)
        {
            long half = Math.Max(rest / 2, Math.Min(memory / 2, StoreOptions.MinMemoryBudget.Bytes));
            return new ColdShares(memory, memory - half, stage, half, 0);
        }

        long index = Share(
            rest, stage != 0 ? IndexBesideStage : UsualIndex, UsualIndex, PagesAtLeast << (existing?.PageBits ?? 0));
        long log = Share(
            rest, stage != 0 ? LogBesideStage : UsualLog, MostForLog,
            Math.Max(PagesAtLeast * options.PageSize.Bytes, MinLog));
        if (existing is not null) log = Math.Max(log, Math.Min(rest / 2, LeastLog(options)));
        return new ColdShares(memory, directory + stage + index, stage, log, rest - index - log);
    }

    /// <summary>The number of cold keys that the index of a new store is made for.</summary>
    public static long Keys(TieredOptions options) => options.ExpectedColdKeys != 0
        ? options.ExpectedColdKeys
        : UsualBytes(options) / 2 / PartForDirectory * (ChunkBytes(options) / KeysPerChunkByte);

    /// <summary>The size of a new store's chunks: larger than usual where the directory would take too much.</summary>
    public static int ChunkBytes(TieredOptions options)
    {
        if (options.ChunkSize.Bytes != 0) return (int)options.ChunkSize.Bytes;
        int bytes = ChunkIndexPlan.DefaultChunkBytes;
        long most = options.MemoryBudget.Bytes / MaxDirectoryPart / sizeof(long);
        while (bytes < HashChunk.MaxBytes && ChunkIndexPlan.ChunksFor(options.ExpectedColdKeys, bytes) > most)
            bytes *= 2;
        return bytes;
    }

    // A share, or what pages of a size that does not change need, up to a larger share.
    private static long Share(long rest, double share, double most, long needed) =>
        Math.Max((long)(rest * share), Math.Min((long)(rest * most), needed));

    // What a log with the least number of pages takes.
    private static long LeastLog(TieredOptions options) =>
        MemoryPlan.MinBudget(TieredShares.Cold(options, default), buckets: null).Bytes;

    private static long UsualBytes(TieredOptions options) => options.ColdFraction != 0
        ? (long)(options.MemoryBudget.Bytes * options.ColdFraction)
        : PartOf(options, UsualFraction);

    private static long PartOf(TieredOptions options, double fraction) => Math.Max(
        (long)(options.MemoryBudget.Bytes * fraction), Math.Min(options.MemoryBudget.Bytes / 4, MinOfFraction));

    // 0: the user has chosen a fraction, or they take too much.
    private static long StageFor(TieredOptions options, long chunks, int chunkBytes)
    {
        if (options.ColdFraction != 0 || chunks > options.MemoryBudget.Bytes / sizeof(long)) return 0;
        long stage = ChunkStage.BytesFor(chunks, chunkBytes / sizeof(ulong), options.DiskBudget.Bytes);
        return (chunks * sizeof(long)) + stage <= options.MemoryBudget.Bytes * MostForChunks ? stage : 0;
    }
}
