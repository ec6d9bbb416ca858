using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using Faster.Contracts;
using Faster.Devices;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// How a store's one memory budget is divided: buffers first, then the index (at most half of all), and the log's pages
/// get the rest, of which the read cache may take its share. While the index is resized, the log's window shrinks.
/// </summary>
internal sealed record MemoryPlan
{
    /// <summary>The least number of index buckets.</summary>
    public const long LeastBuckets = 64;

    private const int LeastPageBits = 12, MostPageBits = 25, MostChosenPageBits = 23;
    private const int LeastBuffers = 64 << 10;
    private const int PartOfPending = 32;     // of the budget, for large records; half as much for all others
    private const int MostPending = 64 << 20, LeastPendingSmallBytes = 256 << 10;
    private const int LeastDiskPages = 64;    // of a disk budget
    private const int LogPages = 16;          // a chosen page size gives the log about so many pages
    private const int CachePages = 32, LeastCachePages = 8, MostCachePageBits = 22;
    private const int BytesForEachFilterByte = 128, MostFilterBytes = 64 << 20;
    private const double TargetFill = 0.75;   // of the index, when the number of keys is known

    /// <summary>The whole budget in bytes.</summary>
    public required long Budget { get; init; }

    /// <summary>The bytes of one write of the flusher.</summary>
    public required int FlushPart { get; init; }

    /// <summary>How many writes may be under way.</summary>
    public required int FlushParts { get; init; }

    /// <summary>The bytes of buffers for reads.</summary>
    public required long ReadBuffers { get; init; }

    /// <summary>
    /// The bytes of large records and values that operations keep while they wait for the disk; their objects, keys
    /// and small records take half as much.
    /// </summary>
    public required long PendingBytes { get; init; }

    /// <summary>
    /// The bytes of operations under way from which on sessions go on with fewer at once; a few are always let.
    /// </summary>
    public long PendingSmallBytes => Math.Max(PendingBytes / 2, LeastPendingSmallBytes);

    /// <summary>How many operations of a kind are kept for their next use.</summary>
    public int IdleOperations => (int)Math.Clamp(PendingSmallBytes >> 11, 64, 1024);

    /// <summary>The first number of index buckets.</summary>
    public required long Buckets { get; init; }

    /// <summary>
    /// The number that the options ask for; a recovered index has begun with what its commit had.
    /// </summary>
    public required long ChosenBuckets { get; init; }

    /// <summary>The logarithm of the page size.</summary>
    public required int PageBits { get; init; }

    /// <summary>The share of the bytes for records that the read cache may take.</summary>
    public double CacheFraction { get; init; }

    /// <summary>The logarithm of the size of the read cache's pages; 0 when there is no cache.</summary>
    public int CachePageBits { get; init; }

    /// <summary>The bytes of the read cache's filter; a power of two.</summary>
    public long CacheFilterBytes { get; init; }

    /// <summary>The most bytes that the index may take, old and new table together.</summary>
    /// <remarks>
    /// An index within it leaves the log its least pages, so that a commit of any index that this plan lets grow can be
    /// opened with the same options.
    /// </remarks>
    public long IndexLimit => Spills ? Math.Min(Budget / 2, RecordBytes(0) - LeastLogBytes) : Budget / 2;

    /// <summary>Makes what bounds the memory of operations that wait.</summary>
    public PendingMemory<TProbe> MakePendingMemory<TProbe>(Commits.CommitState<TProbe> commits)
        where TProbe : struct, IProbe => new(commits, PendingBytes, PendingSmallBytes, IdleOperations);

    /// <summary>The bytes for records when the index takes so many.</summary>
    public long RecordBytes(long indexBytes) =>
        Math.Max(Budget - ((long)FlushPart * FlushParts) - ReadBuffers - PendingReserve - indexBytes, 0);

    /// <summary>What of the budget is set aside for operations that wait.</summary>
    public long PendingReserve => PendingBytes + (PendingBytes / 2);

    /// <summary>The most bytes of <see cref="RecordBytes"/> that the read cache's pages may take.</summary>
    public long CacheBytes(long recordBytes)
    {
        if (CachePageBits == 0) return 0;
        long most = Math.Min(
            (long)(recordBytes * CacheFraction), recordBytes - LeastLogBytes);
        long pages = Math.Max((most - CacheFilterBytes) >> CachePageBits, PagedLog<NoProbe>.LeastPages);
        return pages << CachePageBits;
    }

    /// <summary>How many stripes the bucket latches of commits have: 8 bytes each, a fifth of a percent.</summary>
    public long LatchStripes => Math.Clamp(Budget >> 12, 64, 1 << 18);

    /// <summary>Divides a budget.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    public static MemoryPlan For(StoreOptions options)
    {
        Validate(options);
        MemoryPlan plan = Divide(options, null);
        if (plan.HoldsLog) return plan;
        throw new ArgumentOutOfRangeException(
            nameof(options), options.PageSize,
            $"StoreOptions.PageSize of {new ByteSize(1L << plan.PageBits)} leaves fewer than "
            + $"{PagedLog<NoProbe>.LeastPages} pages of the MemoryBudget of {options.MemoryBudget}. "
            + "Lower PageSize or ExpectedKeys, or raise MemoryBudget.");
    }

    /// <summary>Divides a budget for a store that has a folder already, and with it a page size.</summary>
    /// <param name="options">The options, with what the folder has decided.</param>
    /// <param name="folder">Its name, for messages.</param>
    /// <param name="buckets">The size of the index as of the commit that is to be recovered; null for none.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    /// <exception cref="StoreOpenException">The budget is too small; the message says what is needed.</exception>
    public static MemoryPlan ForFolder(StoreOptions options, string folder, long? buckets)
    {
        Validate(options);
        MemoryPlan plan = Divide(options, buckets);
        if (plan.HoldsLog) return plan;
        string shrink = buckets is null ? string.Empty
            : " If it has fewer keys than it had: open it so, call ShrinkIndexAsync, and commit; it needs less then.";
        throw new StoreOpenException(
            $"The store in '{folder}' has pages of {options.PageSize} and an index of "
            + $"{new ByteSize(plan.Buckets * HashBucket.SizeInBytes)}: the MemoryBudget of {options.MemoryBudget} "
            + $"leaves fewer than {PagedLog<NoProbe>.LeastPages} pages. Raise StoreOptions.MemoryBudget to "
            + $"{LeastBudget(options, buckets).Bytes >> 10:N0} KiB, or lower ExpectedKeys if the store is new."
            + shrink);
    }

    /// <summary>A budget, little more than the least one, that such a store can be opened with.</summary>
    public static ByteSize LeastBudget(StoreOptions options, long? buckets)
    {
        for (long budget = StoreOptions.LeastMemoryBudget.Bytes; ; budget += budget / 16)
        {
            var enough = ByteSize.KiB((budget >> 10) + 1);
            if (Divide(options with { MemoryBudget = enough }, buckets).HoldsLog) return enough;
        }
    }

    private bool Spills => ReadBuffers != 0;

    private long LeastLogBytes => (long)PagedLog<NoProbe>.LeastPages << PageBits;

    private bool HoldsLog => !Spills || RecordBytes(Buckets * HashBucket.SizeInBytes) >= LeastLogBytes;

    private static MemoryPlan Divide(StoreOptions options, long? recovered)
    {
        long budget = options.MemoryBudget.Bytes;
        bool spills = options.Allocator != RecordAllocatorKind.InMemory;
        long buckets = options.ExpectedKeys > 0
            ? (long)Math.Ceiling(options.ExpectedKeys / (7 * TargetFill))
            : budget / 64 / HashBucket.SizeInBytes;
        long half = budget / 2 / HashBucket.SizeInBytes;
        buckets = Math.Clamp(buckets, LeastBuckets, half - (half / 8)); // an eighth is left for overflow buckets
        long buffers = spills ? Math.Clamp(budget / 8, LeastBuffers, 16 << 20) : 0;
        long rest = budget - buffers - (buckets * HashBucket.SizeInBytes);
        int pageBits = options.PageSize.Bytes != 0
            ? BitOperations.Log2((ulong)options.PageSize.Bytes)
            : Math.Clamp(BitOperations.Log2((ulong)(rest / LogPages)), LeastPageBits, MostChosenPageBits);
        if (options.PageSize.Bytes == 0 && options.DiskBudget.Bytes != 0)
            pageBits = Math.Min(pageBits, BitOperations.Log2((ulong)(options.DiskBudget.Bytes / LeastDiskPages)));
        long readBuffers = spills
            ? Math.Max(buffers / 2, LogReader.LeastBufferBytes(new BlockGeometry(pageBits)))
            : 0;
        int parts = buffers >= 4 << 20 ? 4 : 2;
        int part = spills ? (int)BitOperations.RoundUpToPowerOf2((ulong)(buffers / 2 / parts)) : 0;
        var plan = new MemoryPlan
        {
            Budget = budget, FlushPart = part, FlushParts = parts, ReadBuffers = readBuffers,
            PendingBytes = spills ? Math.Min(budget / PartOfPending, MostPending) : 0,
            Buckets = recovered ?? buckets, ChosenBuckets = buckets,
            PageBits = pageBits,
        };
        return spills ? plan.WithCache(options.ReadCacheFraction) : plan;
    }

    // A cache of too few pages would evict most of its records before they are read again.
    private MemoryPlan WithCache(double fraction)
    {
        long records = RecordBytes(Buckets * HashBucket.SizeInBytes);
        long most = Math.Min((long)(records * fraction), records - LeastLogBytes);
        if (most < (long)LeastCachePages << LeastPageBits) return this;
        return this with
        {
            CacheFraction = fraction,
            CachePageBits = Math.Clamp(
                BitOperations.Log2((ulong)(most / CachePages)), LeastPageBits, MostCachePageBits),
            CacheFilterBytes = Math.Min(
                1L << BitOperations.Log2((ulong)(most / BytesForEachFilterByte)), MostFilterBytes),
        };
    }

    private static void Validate(StoreOptions options)
    {
        Require(options.MemoryBudget >= StoreOptions.LeastMemoryBudget, nameof(options.MemoryBudget),
            options.MemoryBudget, $"at least {StoreOptions.LeastMemoryBudget}");
        Require(options.MemoryBudget <= ByteSize.GiB(1 << 16), nameof(options.MemoryBudget),
            options.MemoryBudget, "at most 64 TiB");
        Require(options.ExpectedKeys >= 0, nameof(options.ExpectedKeys), options.ExpectedKeys, "0 or more");
        Require(Enum.IsDefined(options.Allocator), nameof(options.Allocator), options.Allocator,
            "Hybrid, AppendOnly or InMemory");
        Require(Enum.IsDefined(options.Io), nameof(options.Io), options.Io, "Auto, RandomAccess or IoUring");
        Require(options.MutableFraction is > 0 and <= 1, nameof(options.MutableFraction), options.MutableFraction,
            "above 0 and at most 1");
        Require(options.ReadCacheFraction is >= 0 and <= 0.9, nameof(options.ReadCacheFraction),
            options.ReadCacheFraction, "from 0 to 0.9");
        long page = options.PageSize.Bytes;
        Require(
            page == 0 || (BitOperations.IsPow2(page) && page is >= 1L << LeastPageBits and <= 1L << MostPageBits),
            nameof(options.PageSize), options.PageSize, "0, or a power of two from 4 KiB to 32 MiB");
        Require(options.SegmentSize >= ByteSize.KiB(64), nameof(options.SegmentSize), options.SegmentSize,
            "at least 64 KiB");
        long disk = options.DiskBudget.Bytes;
        Require(
            disk == 0 || (options.DiskBudget >= ByteSize.KiB(256) && disk / LeastDiskPages >= page),
            nameof(options.DiskBudget), options.DiskBudget, $"0, or at least 256 KiB and {LeastDiskPages} pages");
        Require(options.CommitEveryBytes.Bytes >= 0, nameof(options.CommitEveryBytes), options.CommitEveryBytes,
            "0 or above");
        Require(options.IndexCheckpointEveryBytes.Bytes >= 0, nameof(options.IndexCheckpointEveryBytes),
            options.IndexCheckpointEveryBytes, "0 or above");
        Require(options.MaxPendingPerSession is >= 1 and <= 65_536, nameof(options.MaxPendingPerSession),
            options.MaxPendingPerSession, "from 1 to 65,536");
        Require(Enum.IsDefined(options.CommitKind), nameof(options.CommitKind), options.CommitKind,
            "FoldOver, Snapshot or Incremental");
        Require(Enum.IsDefined(options.PendingOrder), nameof(options.PendingOrder), options.PendingOrder,
            "Strict or Relaxed");
        Require(
            options.CommitEvery >= TimeSpan.Zero && options.CommitEvery <= TimeSpan.FromDays(40), // a timer's most
            nameof(options.CommitEvery), options.CommitEvery, "from zero to 40 days");
        Require(options.TimeToLive >= TimeSpan.Zero, nameof(options.TimeToLive), options.TimeToLive, "zero or above");
        Require(
            options.CloseTimeout > TimeSpan.Zero, nameof(options.CloseTimeout), options.CloseTimeout, "above zero");
        Require(options.TimeProvider is not null, nameof(options.TimeProvider), "null", "a source of time");
    }

    [SuppressMessage("Usage", "CA2208", Justification = "The argument is that of those who open a store.")]
    private static void Require(bool holds, string option, object value, string range)
    {
        if (holds) return;
        throw new ArgumentOutOfRangeException(
            "options", $"StoreOptions.{option} is {value}, but must be {range}.");
    }
}
