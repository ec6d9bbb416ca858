using System.Numerics;
using Faster.Checkpoints.Files;
using Faster.Compaction.Batches;
using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.HashChunks;
using Faster.Log.Records;
using Faster.Opening;

namespace Faster.Engines.Tiered;

/// <summary>
/// The division of a tiered store's budgets among its parts: options of one tier each, and the plan of the cold index.
/// </summary>
/// <remarks>No state; thread-safe. <see cref="ColdShares"/> divides the memory of the cold tier.</remarks>
internal static class TieredShares
{
    private const long MinCold = 512 << 10;
    private const int MinPagesForHotKeys = 64;
    private const int MinPagesOfColdLog = 8, MinPagesOfDisk = 512, EnoughPageBits = 16;
    private const int LeastHotLog = 2, MostHotLog = 4; // times its memory
    private const int PartOfDisk = 8;            // of the disk budget, for a hot log above the least
    private const int PartForHotKeys = 3;        // of the hot tier's memory, for an index of the hot log's keys
    private const int SegmentsOfABudget = 64;    // of three logs together
    private const int Directories = 3;           // of two kept commits, and one under way
    private const int Excess = 4;                // part of a log's size by which it may exceed it

    /// <summary>The options of the hot tier.</summary>
    /// <param name="options">The options of the store.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="cold">The cold tier's memory.</param>
    public static StoreOptions Hot(TieredOptions options, RecordSchema schema, in ColdShares cold)
    {
        StoreOptions hot = Of(options, options.MemoryBudget.Bytes - cold.Total) with
        {
            ReadCacheFraction = options.ReadCacheFraction, MutableFraction = options.MutableFraction,
            Device = options.HotDevice, ExpectedKeys = options.ExpectedHotKeys,
        };
        int size = new RecordLayout(schema).FixedRecordSize;
        if (options.ExpectedHotKeys != 0 || size == 0) return hot;
        return hot with { ExpectedKeys = HotKeys(options, hot, size) };
    }

    // As many keys as the hot log has space for at its largest: an index that began smaller would double, and take up
    // to twice what it needs. 0, a small index, where there is little memory; a third of the memory at most.
    private static long HotKeys(TieredOptions options, StoreOptions hot, int recordSize)
    {
        MemoryPlan plan = MemoryPlan.For(hot);
        if (plan.InitialRecordBytes >> plan.PageBits < MinPagesForHotKeys) return 0;
        long memory = plan.InitialRecordBytes / PartForHotKeys * (PartForHotKeys - 1); // what such an index leaves
        long keys = Largest(HotLogSize(options, memory, long.MaxValue)) / recordSize;
        return Math.Min(keys, MemoryPlan.KeysOf(plan.InitialRecordBytes - memory));
    }

    /// <summary>The options of a tier without what depends on how the memory is divided.</summary>
    /// <param name="options">The options of the store.</param>
    public static StoreOptions Undivided(TieredOptions options) => Of(options, options.MemoryBudget.Bytes);

    /// <summary>
    /// The options of the cold tier. Its records are never updated in place, nor cached in front of it.
    /// </summary>
    /// <param name="options">The options of the store.</param>
    /// <param name="cold">The cold tier's memory.</param>
    public static StoreOptions Cold(TieredOptions options, in ColdShares cold) => Of(options, cold.Log) with
        {
            ReadCacheFraction = 0, Device = options.ColdDevice, ExpectedKeys = 1,
            Durability = Durability.Commits, OperationLogSize = default,
        };

    /// <summary>
    /// The binary logarithm of the size of a new store's pages: what the cold log's memory has chosen, or larger, since
    /// a page takes a sector more on a device than in memory: a quarter of 16 KiB, a sixteenth of 64 KiB.
    /// </summary>
    /// <param name="options">The options.</param>
    /// <param name="cold">The cold tier's memory.</param>
    /// <param name="pageBits">What the cold log's memory has chosen.</param>
    public static int LargerPages(TieredOptions options, in ColdShares cold, int pageBits)
    {
        if (options.PageSize.Bytes != 0) return pageBits;
        long most = Math.Min(cold.Log, cold.Copying) / MinPagesOfColdLog;
        if (options.DiskBudget.Bytes != 0) most = Math.Min(most, options.DiskBudget.Bytes / MinPagesOfDisk);
        return Math.Clamp(BitOperations.Log2((ulong)most), pageBits, Math.Max(pageBits, EnoughPageBits));
    }

    /// <summary>The memory of each batch of records that are copied to the cold log together.</summary>
    /// <param name="cold">The cold tier's memory.</param>
    /// <param name="index">
    /// The cold index, of which a sweep reads pages beside the batch; two compactions have a fragment and the page of a
    /// record for values that are larger than a page.
    /// </param>
    /// <param name="pageBits">The binary logarithm of the page size in bytes.</param>
    /// <param name="threads">The number of threads.</param>
    public static CopyBatchShape Batch(in ColdShares cold, ChunkIndexPlan index, int pageBits, int threads) =>
        CopyBatchShape.For((cold.Copying / threads) - index.SweepBytes - (2 * 2L << pageBits), pageBits);

    /// <summary>The division of the memory of the cold index.</summary>
    /// <param name="options">The options.</param>
    /// <param name="cold">The cold tier's memory.</param>
    /// <param name="existing">What does not change of the index of an existing store; null for a new one.</param>
    public static ChunkIndexPlan ColdIndex(TieredOptions options, ColdShares cold, ColdIndexShape? existing) => Divide(
        options, cold, "cold index", () => existing is not null
            ? ChunkIndexPlan.Of(cold.Index, existing, cold.Stage)
            : ChunkIndexPlan.For(cold.Index, ColdShares.Keys(options), ColdShares.ChunkBytes(options), cold.Stage));

    /// <summary>Divides the memory of one part.</summary>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The budget is too small for it; the message names the options of the tiered store.
    /// </exception>
    /// <exception cref="StoreOpenException">The budget is too small for a store that exists.</exception>
    public static T Divide<T>(TieredOptions options, ColdShares cold, string part, Func<T> plan)
    {
        try
        {
            return plan();
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw new ArgumentOutOfRangeException(Misfit(options, cold, part, e), e);
        }
        catch (StoreOpenException e)
        {
            throw new StoreOpenException(Misfit(options, cold, part, e), e);
        }
    }

    /// <summary>
    /// The size of the hot log in bytes: as large as its index has keys for, because a record on disk there is one read
    /// away, below it two; from twice to four times its memory, and above twice an eighth of the disk budget. Where the
    /// option does not say it, it leaves the cold tier what it needs at least of the disk budget.
    /// </summary>
    /// <param name="options">The options.</param>
    /// <param name="memory">The plan of the hot tier's memory.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="index">The cold index.</param>
    public static long HotLogSize(
        TieredOptions options, MemoryPlan memory, RecordSchema schema, ChunkIndexPlan index)
    {
        long largest = memory.IndexedKeys * new RecordLayout(schema).FixedRecordSize; // 0: sizes vary
        long size = HotLogSize(options, memory.InitialRecordBytes, largest / (Excess + 1) * Excess);
        if (options.HotLogSize.Bytes != 0 || options.DiskBudget.Bytes == 0) return size;
        BlockGeometry geometry = GeometryOf(options);
        long left = Math.Max(AfterIndex(options, index) - MinCold, 0) / geometry.PageStride << geometry.PageBits;
        return Math.Min(size, Math.Max(left / (Excess + 1) * Excess, MinCold));
    }

    private static long HotLogSize(TieredOptions options, long memory, long indexed)
    {
        if (options.HotLogSize.Bytes != 0) return options.HotLogSize.Bytes;
        (long disk, long least, long most) = (options.DiskBudget.Bytes, LeastHotLog * memory, MostHotLog * memory);
        if (disk == 0) return Math.Clamp(indexed, least, most);
        return Math.Min(Math.Max(Math.Min(Math.Clamp(indexed, least, most), disk / PartOfDisk), least), disk / 2);
    }

    /// <summary>
    /// What the disk budget leaves the cold log in bytes, after the hot log and the cold index at their largest, with a
    /// segment of each that is released late, and its directories in commits; 0 for no limit.
    /// </summary>
    public static long ColdDiskBudget(TieredOptions options, long hotLogSize, ChunkIndexPlan index)
    {
        if (options.DiskBudget.Bytes == 0) return 0;
        BlockGeometry geometry = GeometryOf(options);
        long rest = AfterIndex(options, index) - geometry.OffsetOfPage(Largest(hotLogSize) >> geometry.PageBits);
        return rest >= MinCold ? rest : throw OutOfRange(
            nameof(options.DiskBudget), options.DiskBudget,
            "0, or at least "
            + new ByteSize(options.DiskBudget.Bytes - rest + MinCold)
            + $" with the other options: the hot log comes first, and the cold index of {index.ChunkCount:N0} chunks, "
            + $"as many as {nameof(options.ExpectedColdKeys)} asked for when the store was made");
    }

    /// <summary>Checks the options that no part checks.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    public static void Validate(TieredOptions options)
    {
        Require(options.MemoryBudget >= TieredOptions.MinMemoryBudget, nameof(options.MemoryBudget),
            options.MemoryBudget, $"at least {TieredOptions.MinMemoryBudget}");
        Require(
            options.ColdFraction == 0 || (options.ColdFraction is > 0 and < 1
                && options.MemoryBudget.Bytes * options.ColdFraction >= MinCold
                && options.MemoryBudget.Bytes * (1 - options.ColdFraction) >= MinCold),
            nameof(options.ColdFraction), options.ColdFraction,
            "0, or above 0, below 1, and leave each tier 512 KiB");
        Require(options.ReadCacheFraction is >= 0 and <= 0.9, nameof(options.ReadCacheFraction),
            options.ReadCacheFraction, "from 0 to 0.9");
        Require(options.MutableFraction is > 0 and <= 1, nameof(options.MutableFraction), options.MutableFraction,
            "above 0 and at most 1");
        Require(options.HotLogSize.Bytes >= 0, nameof(options.HotLogSize), options.HotLogSize, "0 or above");
        Require(options.DiskBudget.Bytes >= 0, nameof(options.DiskBudget), options.DiskBudget, "0 or above");
        Require(options.ExpectedHotKeys >= 0, nameof(options.ExpectedHotKeys), options.ExpectedHotKeys, "0 or more");
        Require(options.ExpectedColdKeys >= 0, nameof(options.ExpectedColdKeys), options.ExpectedColdKeys,
            "0 or more");
        Require(
            options.ChunkSize.Bytes == 0 || (BitOperations.IsPow2(options.ChunkSize.Bytes)
                && options.ChunkSize.Bytes is >= HashChunk.MinBytes and <= HashChunk.MaxBytes),
            nameof(options.ChunkSize), options.ChunkSize,
            $"0, or a power of two from {HashChunk.MinBytes} to {HashChunk.MaxBytes:N0} bytes");
        Require(options.CompactionThreads is >= 0 and <= 64, nameof(options.CompactionThreads),
            options.CompactionThreads, "0, or from 1 to 64");
        Require(options.TimeToLive >= TimeSpan.Zero, nameof(options.TimeToLive), options.TimeToLive, "zero or above");
        Require(options.CloseTimeout > TimeSpan.Zero, nameof(options.CloseTimeout), options.CloseTimeout,
            "above zero");
    }

    /// <summary>The size of a log while its oldest part is moved: a quarter above its own.</summary>
    public static long Largest(long size) => size + (size / Excess);

    // What the disk budget leaves both logs, less a segment of each that is released late.
    private static long AfterIndex(TieredOptions options, ChunkIndexPlan index) => options.DiskBudget.Bytes
        - Largest(index.MinDiskBudget) - (Directories * index.DirectoryBytes) - (2 * SegmentSizeOf(options).Bytes);

    private static BlockGeometry GeometryOf(TieredOptions options) =>
        new(BitOperations.Log2((ulong)options.PageSize.Bytes));

    private static StoreOptions Of(TieredOptions options, long memory) => new()
    {
        MemoryBudget = new ByteSize(memory),
        Expert = options.Expert with
        {
            SegmentSize = SegmentSizeOf(options), MutableFraction = new LogStoreOptions.ExpertOptions().MutableFraction,
        },
        TimeToLive = options.TimeToLive,
        TimeProvider = options.TimeProvider,
        CloseTimeout = options.CloseTimeout,
        Durability = options.Durability,
        ReadsAwaitDurability = options.ReadsAwaitDurability,
        CommitKind = options.CommitKind,
        CommitEvery = options.CommitEvery,
        CommitEveryBytes = options.CommitEveryBytes,
        CommitOnDispose = options.CommitOnDispose,
        AllowClockRollback = options.AllowClockRollback,
        AllowOlderCommit = options.AllowOlderCommit,
    };

    // Disk space is released in whole segments.
    private static ByteSize SegmentSizeOf(TieredOptions options) => options.DiskBudget.Bytes == 0
        ? options.SegmentSize
        : new ByteSize(Math.Min(options.SegmentSize.Bytes, options.DiskBudget.Bytes / SegmentsOfABudget));

    private static string Misfit(TieredOptions options, ColdShares cold, string part, Exception e) =>
        $"TieredOptions.MemoryBudget of {options.MemoryBudget}, of which the cold tier has {new ByteSize(cold.Total)}, "
        + $"does not suit the {part}: {e.Message} For a tiered store these are options of TieredOptions.";

    private static void Require(bool holds, string option, object? value, string expected)
    {
        if (!holds) throw OutOfRange(option, value, expected);
    }

    private static ArgumentOutOfRangeException OutOfRange(string option, object? value, string expected) =>
        new(option, value, $"TieredOptions.{LogStoreOptions.NameOf(option)} must be {expected}.");
}
