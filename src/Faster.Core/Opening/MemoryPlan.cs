using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Index;
using Faster.Log;
using Faster.Log.Reads;
using Faster.Log.Records;

namespace Faster.Opening;

/// <summary>
/// The division of a store's memory budget: first operation logs, if there are any, and buffers, then the index (at
/// most half of the budget); the log's pages get the rest, of which the read cache may take its share. While the index
/// is resized, the log's window shrinks. Immutable; thread-safe.
/// </summary>
internal sealed record MemoryPlan
{
    /// <summary>The smallest number of index buckets.</summary>
    public const long MinBuckets = 64;

    private const int MinPageBits = 12, MaxPageBits = 25, MaxChosenPageBits = 23;
    private const int MinBuffers = 64 << 10;
    private const int PartOfPending = 32;     // of the budget, for large records; half as much for all others
    /// <summary>The smallest number of bytes with which a thread of a compaction can put look-ups off.</summary>
    public const long MinLookupBytes = 20 * BlockGeometry.MaxSector;

    private const int MaxPending = 64 << 20, MinPendingSmallBytes = 256 << 10;
    private const int MinDiskPages = 64;    // of a disk budget
    // A chosen page size gives the log about so many pages, since some two of them are always empty or on their way
    // out; pages below 256 KiB are chosen only if there would be fewer than FewPages else.
    private const int LogPages = 64, FewPages = 16, SmallPageBits = 18;
    private const int MaxChosenThreads = 4, PagesForEachThread = 32; // of compaction
    private const int PartOfLookups = 12, MaxLookupBytes = 64 << 20; // of the budget
    private const int CachePages = 32, MinCachePages = 8, MaxCachePageBits = 22;
    private const int BytesForEachFilterByte = 128, MaxFilterBytes = 64 << 20;
    // Of the index, when the number of keys is known. At three quarters 6 % of the keys are in overflow buckets, which
    // a hit reaches by a mispredicted branch and a third miss; at a half, 1 %, for 6 more bytes a key.
    private const double DenseFill = 0.75, SparseFill = 0.5;

    /// <summary>The budget in bytes, without operation logs.</summary>
    public required long Budget { get; init; }

    /// <summary>The size of one write of the flusher in bytes.</summary>
    public required int FlushPart { get; init; }

    /// <summary>The number of writes that may be in progress.</summary>
    public required int FlushParts { get; init; }

    /// <summary>The size of the buffers for reads in bytes.</summary>
    public required long ReadBuffers { get; init; }

    /// <summary>
    /// The bytes for large records and values that operations keep while they wait for the disk; the objects, keys and
    /// small records of pending operations take half as much.
    /// </summary>
    public required long PendingBytes { get; init; }

    /// <summary>
    /// The bytes of pending operations above which sessions must reduce their number; each session may always have a
    /// few.
    /// </summary>
    public long PendingSmallBytes => Math.Max(PendingBytes / 2, MinPendingSmallBytes);

    /// <summary>The number of operation objects of each kind that are kept for reuse.</summary>
    public int IdleOperations => (int)Math.Clamp(PendingSmallBytes >> 11, 64, 1024);

    /// <summary>The initial number of index buckets.</summary>
    public required long Buckets { get; init; }

    /// <summary>
    /// The number of index buckets that the options ask for; a recovered index starts with the number of its commit.
    /// </summary>
    public required long ChosenBuckets { get; init; }

    /// <summary>The binary logarithm of the page size in bytes.</summary>
    public required int PageBits { get; init; }

    /// <summary>The number of threads of a compaction.</summary>
    public required int CompactionThreads { get; init; }

    /// <summary>
    /// The bytes for the look-ups that compaction puts off, where there is a disk budget; 0: it puts none off.
    /// </summary>
    public long LookupBytes { get; init; }

    /// <summary>
    /// The bytes that the log lends to the look-ups of a compaction where none are reserved; 0: too few for them.
    /// </summary>
    /// <remarks>
    /// An index that grows meanwhile, even to its limit, leaves the log and the read cache their minimum number of
    /// pages; so does one that was recovered above its limit.
    /// </remarks>
    public long LookupLoan
    {
        get
        {
            long least = RecordBytes(Math.Max(IndexLimit, Buckets * HashBucket.SizeInBytes));
            if (CachePageBits != 0)
                least -= ((long)PagedLog.MinPages << CachePageBits) + CacheFilterBytes;
            return Spills && LookupBytes == 0 && least - WantedLookupBytes >= MinLogBytes ? WantedLookupBytes : 0;
        }
    }

    /// <summary>The share of the memory for records that the read cache may take.</summary>
    public double CacheFraction { get; init; }

    /// <summary>The binary logarithm of the size of the read cache's pages in bytes; 0 if there is no cache.</summary>
    public int CachePageBits { get; init; }

    /// <summary>The size of the read cache's filter in bytes; a power of two.</summary>
    public long CacheFilterBytes { get; init; }

    /// <summary>The upper bound on the index's memory in bytes, old and new table together.</summary>
    /// <remarks>
    /// An index within it leaves the log its minimum number of pages. So any index that can grow under this plan can be
    /// recovered from a commit with the same options.
    /// </remarks>
    public long IndexLimit => Spills ? Math.Min(Budget / 2, RecordBytes(0) - MinLogBytes) : Budget / 2;

    /// <summary>Returns the bytes for records if the index takes <paramref name="indexBytes"/>.</summary>
    public long RecordBytes(long indexBytes) =>
        Math.Max(Budget - ((long)FlushPart * FlushParts) - ReadBuffers - PendingReserve - LookupBytes - indexBytes, 0);

    /// <summary>The bytes for records while the index has its initial number of buckets.</summary>
    public long InitialRecordBytes => RecordBytes(Buckets * HashBucket.SizeInBytes);

    /// <summary>The number of keys for which the initial index is made.</summary>
    public long IndexedKeys => KeysOf(Buckets * HashBucket.SizeInBytes);

    /// <summary>The number of keys for which an index of some bytes is made.</summary>
    public static long KeysOf(long indexBytes) =>
        (long)(indexBytes / HashBucket.SizeInBytes * HashBucket.EntryCount * DenseFill);

    /// <summary>The bytes of the budget reserved for pending operations.</summary>
    public long PendingReserve => PendingBytes + (PendingBytes / 2);

    /// <summary>
    /// Returns the upper bound on the bytes of <see cref="RecordBytes"/> that the read cache's pages may take.
    /// </summary>
    public long CacheBytes(long recordBytes)
    {
        if (CachePageBits == 0) return 0;
        long most = Math.Min(
            (long)(recordBytes * CacheFraction), recordBytes - MinLogBytes);
        long pages = Math.Max((most - CacheFilterBytes) >> CachePageBits, PagedLog.MinPages);
        return pages << CachePageBits;
    }

    /// <summary>
    /// The number of stripes of the bucket latches for commits: 8 bytes each, a fifth of a percent of the budget.
    /// </summary>
    public long LatchStripes => Math.Clamp(Budget >> 12, 64, 1 << 18);

    /// <summary>Divides the budget of a new store.</summary>
    /// <param name="options">The options.</param>
    /// <param name="schema">The shape of the records; none: only the options are checked.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    public static MemoryPlan For(StoreOptions options, RecordSchema schema = default)
    {
        Validate(options);
        MemoryPlan plan = Divide(options, null);
        if (plan.HoldsLog) return Sparse(options, schema) ?? plan;
        throw new ArgumentOutOfRangeException(
            nameof(options), options.PageSize,
            $"StoreOptions.Expert.PageSize of {new ByteSize(1L << plan.PageBits)} leaves fewer than "
            + $"{PagedLog.MinPages} pages of the MemoryBudget of {options.MemoryBudget}. "
            + "Lower PageSize or ExpectedKeys, or raise MemoryBudget.");
    }

    /// <summary>Divides the budget of a store in an existing folder, which determines the page size.</summary>
    /// <param name="options">The options, with those that the folder determines.</param>
    /// <param name="folder">The folder's name, for messages.</param>
    /// <param name="buckets">The number of index buckets in the commit to recover; null if there is none.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    /// <exception cref="StoreOpenException">
    /// The budget is too small, and the message says how much is needed; or an option does not suit the page size.
    /// </exception>
    public static MemoryPlan ForFolder(StoreOptions options, string folder, long? buckets)
    {
        Validate(options with { PageSize = default });
        try
        {
            Validate(options);
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw new StoreOpenException(
                $"The store in '{folder}' has pages of {options.PageSize}, and the options do not suit them: "
                + $"{e.Message} A store keeps the page size with which it was made.", e);
        }

        MemoryPlan plan = Divide(options, buckets);
        if (plan.HoldsLog) return plan;
        string shrink = buckets is null ? string.Empty
            : " If it now has fewer keys: open it so, call ShrinkIndexAsync, and commit; then it needs less.";
        throw new StoreOpenException(
            $"The store in '{folder}' has pages of {options.PageSize} and an index of "
            + $"{new ByteSize(plan.Buckets * HashBucket.SizeInBytes)}: the MemoryBudget of {options.MemoryBudget} "
            + $"leaves fewer than {PagedLog.MinPages} pages. Raise StoreOptions.MemoryBudget to "
            + $"{MinBudget(options, buckets).Bytes >> 10:N0} KiB, or lower ExpectedKeys if the store is new."
            + shrink);
    }

    /// <summary>Returns a budget, slightly above the smallest one, with which such a store can be opened.</summary>
    public static ByteSize MinBudget(StoreOptions options, long? buckets)
    {
        for (long budget = StoreOptions.MinMemoryBudget.Bytes; ; budget += budget / 16)
        {
            var enough = ByteSize.KiB((budget >> 10) + 1);
            if (Divide(options with { MemoryBudget = enough }, buckets).HoldsLog) return enough;
        }
    }

    private bool Spills => ReadBuffers != 0;

    // What look-ups of a compaction make good use of; 0: too few for its threads.
    private long WantedLookupBytes
    {
        get
        {
            long bytes = Math.Min(Budget / PartOfLookups, MaxLookupBytes);
            return bytes >= (long)CompactionThreads * MinLookupBytes ? bytes : 0;
        }
    }

    private long MinLogBytes => (long)PagedLog.MinPages << PageBits;

    private bool HoldsLog => !Spills || InitialRecordBytes >= MinLogBytes;

    // With more buckets, if all records then still find a place in the mutable region; otherwise null.
    private static MemoryPlan? Sparse(StoreOptions options, RecordSchema schema)
    {
        if (options.ExpectedKeys <= 0 || schema.KeySlotSize == 0 || schema.ValueSize == 0) return null;
        MemoryPlan sparse = Divide(options, null, SparseFill);
        double left = sparse.InitialRecordBytes * options.MutableFraction;
        double needed = (double)options.ExpectedKeys * new RecordLayout(schema).FixedRecordSize;
        return sparse.HoldsLog && left >= needed ? sparse : null;
    }

    private static MemoryPlan Divide(StoreOptions options, long? recovered, double fill = DenseFill)
    {
        long budget = options.MemoryBudget.Bytes - OperationLogShape.For(options).MemoryBytes;
        bool spills = options.Allocator != RecordAllocatorKind.InMemory;
        long buckets = options.ExpectedKeys > 0
            ? (long)Math.Ceiling(options.ExpectedKeys / (HashBucket.EntryCount * fill))
            : budget / 64 / HashBucket.SizeInBytes;
        long half = budget / 2 / HashBucket.SizeInBytes;
        buckets = Math.Clamp(buckets, MinBuckets, half - (half / 8)); // leaves an eighth for overflow buckets
        long buffers = spills ? Math.Clamp(budget / 8, MinBuffers, 16 << 20) : 0;
        long rest = budget - buffers - (buckets * HashBucket.SizeInBytes);
        int pageBits = options.PageSize.Bytes != 0
            ? BitOperations.Log2((ulong)options.PageSize.Bytes)
            : ChosenPageBits(rest);
        if (options.PageSize.Bytes == 0 && options.DiskBudget.Bytes != 0)
            pageBits = Math.Min(pageBits, BitOperations.Log2((ulong)(options.DiskBudget.Bytes / MinDiskPages)));
        long readBuffers = spills
            ? Math.Max(buffers / 2, LogReader.MinBufferBytes(new BlockGeometry(pageBits)))
            : 0;
        int parts = buffers >= 4 << 20 ? 4 : 2;
        int part = spills ? 1 << BitOperations.Log2((ulong)(buffers / 2 / parts)) : 0;
        var plan = new MemoryPlan
        {
            Budget = budget, FlushPart = part, FlushParts = parts, ReadBuffers = readBuffers,
            PendingBytes = spills ? Math.Min(budget / PartOfPending, MaxPending) : 0,
            Buckets = recovered ?? buckets, ChosenBuckets = buckets,
            PageBits = pageBits,
            CompactionThreads = ThreadsFor(options, pageBits),
        };
        if (spills && options.DiskBudget.Bytes != 0) plan = plan.WithLookups();
        return spills ? plan.WithCache(options.ReadCacheFraction) : plan;
    }

    private static int ChosenPageBits(long logBytes)
    {
        int bits = BitOperations.Log2((ulong)(logBytes / LogPages));
        int few = BitOperations.Log2((ulong)(logBytes / FewPages));
        return Math.Clamp(Math.Max(bits, Math.Min(few, SmallPageBits)), MinPageBits, MaxChosenPageBits);
    }

    // Each has a page's copy, which the budget does not have a part for.
    private static int ThreadsFor(StoreOptions options, int pageBits)
    {
        int wanted = options.CompactionThreads != 0
            ? options.CompactionThreads
            : Math.Clamp(Environment.ProcessorCount / 4, 1, MaxChosenThreads);
        return (int)Math.Clamp(options.MemoryBudget.Bytes / PagesForEachThread >> pageBits, 1, wanted);
    }

    private MemoryPlan WithLookups()
    {
        MemoryPlan plan = this with { LookupBytes = WantedLookupBytes };
        return plan.HoldsLog ? plan : this;
    }

    // A cache of too few pages would evict most of its records before they are read again.
    private MemoryPlan WithCache(double fraction)
    {
        long records = InitialRecordBytes;
        long most = Math.Min((long)(records * fraction), records - MinLogBytes);
        if (most < (long)MinCachePages << MinPageBits) return this;
        return this with
        {
            CacheFraction = fraction,
            CachePageBits = Math.Clamp(
                BitOperations.Log2((ulong)(most / CachePages)), MinPageBits, MaxCachePageBits),
            CacheFilterBytes = Math.Min(
                1L << BitOperations.Log2((ulong)(most / BytesForEachFilterByte)), MaxFilterBytes),
        };
    }

    /// <summary>Checks each option's range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    public static void Validate(StoreOptions options)
    {
        Require(options.MemoryBudget >= StoreOptions.MinMemoryBudget, nameof(options.MemoryBudget),
            options.MemoryBudget, $"at least {StoreOptions.MinMemoryBudget}");
        Require(options.MemoryBudget <= ByteSize.GiB(1 << 16), nameof(options.MemoryBudget),
            options.MemoryBudget, "at most 64 TiB");
        Require(options.ExpectedKeys >= 0, nameof(options.ExpectedKeys), options.ExpectedKeys, "0 or more");
        Require(Enum.IsDefined(options.Allocator), nameof(options.Allocator), options.Allocator,
            "Hybrid, AppendOnly or InMemory");
        Require(Enum.IsDefined(options.IOMode), nameof(options.IOMode), options.IOMode,
            "Auto, RandomAccess or IoUring");
        Require(options.MutableFraction is > 0 and <= 1, nameof(options.MutableFraction), options.MutableFraction,
            "above 0 and at most 1");
        Require(options.ReadCacheFraction is >= 0 and <= 0.9, nameof(options.ReadCacheFraction),
            options.ReadCacheFraction, "from 0 to 0.9");
        long page = options.PageSize.Bytes;
        Require(
            page == 0 || (BitOperations.IsPow2(page) && page is >= 1L << MinPageBits and <= 1L << MaxPageBits),
            nameof(options.PageSize), options.PageSize, "0, or a power of two from 4 KiB to 32 MiB");
        Require(options.SegmentSize >= ByteSize.KiB(64), nameof(options.SegmentSize), options.SegmentSize,
            "at least 64 KiB");
        long disk = options.DiskBudget.Bytes;
        Require(
            disk == 0 || (options.DiskBudget >= ByteSize.KiB(256) && disk / MinDiskPages >= page),
            nameof(options.DiskBudget), options.DiskBudget, $"0, or at least 256 KiB and {MinDiskPages} pages");
        Require(options.CommitEveryBytes.Bytes >= 0, nameof(options.CommitEveryBytes), options.CommitEveryBytes,
            "0 or above");
        Require(options.IndexCheckpointEveryBytes.Bytes >= 0, nameof(options.IndexCheckpointEveryBytes),
            options.IndexCheckpointEveryBytes, "0 or above");
        Require(options.MaxPendingPerSession is >= 1 and <= 65_536, nameof(options.MaxPendingPerSession),
            options.MaxPendingPerSession, "from 1 to 65,536");
        Require(options.CompactionThreads is >= 0 and <= 64, nameof(options.CompactionThreads),
            options.CompactionThreads, "0, or from 1 to 64");
        Require(Enum.IsDefined(options.CommitKind), nameof(options.CommitKind), options.CommitKind,
            "FoldOver, Snapshot or Incremental");
        Require(Enum.IsDefined(options.PendingOrder), nameof(options.PendingOrder), options.PendingOrder,
            "Strict or Relaxed");
        Require(
            options.HasValidInterval, nameof(options.CommitEvery), options.CommitEvery, "from zero to 40 days");
        Require(
            options.Durability is Durability.Commits or Durability.EachOperation, nameof(options.Durability),
            options.Durability, "Commits or EachOperation");
        Require(
            OperationLogShape.IsValid(options.OperationLogSize, options.MemoryBudget),
            nameof(options.OperationLogSize), options.OperationLogSize, OperationLogShape.ValidSizes);
        Require(options.TimeToLive >= TimeSpan.Zero, nameof(options.TimeToLive), options.TimeToLive, "zero or above");
        Require(
            options.CloseTimeout > TimeSpan.Zero, nameof(options.CloseTimeout), options.CloseTimeout, "above zero");
        Require(options.TimeProvider is not null, nameof(options.TimeProvider), "null", "a source of time");
    }

    [SuppressMessage("Usage", "CA2208", Justification = "The argument belongs to the caller that opens the store.")]
    private static void Require(bool holds, string option, object value, string range)
    {
        if (holds) return;
        throw new ArgumentOutOfRangeException(
            "options", $"StoreOptions.{LogStoreOptions.NameOf(option)} is {value}, but must be {range}.");
    }
}
