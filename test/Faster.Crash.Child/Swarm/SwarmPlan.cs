using System.Globalization;
using System.Numerics;
using Faster.Engines.Tiered;
using Faster.Opening;

namespace Faster.Crash.Swarm;

/// <summary>What interrupts the lives of a store.</summary>
internal enum SwarmEnd
{
    /// <summary>Nothing: it is closed, in a folder.</summary>
    Closed,

    /// <summary>Power cuts and kills of a disk in memory.</summary>
    Crashed,

    /// <summary>SIGKILL of a process that uses a folder.</summary>
    Killed,
}

/// <summary>
/// The configuration and the workload of a store of the swarm, all from one seed; of a negative one, as of the positive
/// one, with each operation durable. Immutable.
/// </summary>
internal sealed record SwarmPlan
{
    /// <summary>The plans from this seed on are of the engine F2, those before of the engine FASTER.</summary>
    public const int FirstTiered = 1_000_000_000;

    /// <summary>The plans from this seed on are of the transactional engine.</summary>
    public const int FirstTransactional = 2_000_000_000;

    private const int MinKeys = 12, MaxKeys = 4_000, MaxOperations = 6_000, LongestValue = 200_000;
    private const int BytesOfTable = 512 << 10; // each commit writes all of them
    private const int LongestOfTiers = 60_000, MaxDurable = 1_500, Header = 1_024;

    private static readonly int[] BudgetsInKiB = [512, 512, 768, 1024, 1024, 2048, 4096, 8192];

    private SwarmPlan(int seed, StoreOptions options) => (Seed, Options) = (seed, options);

    /// <summary>The seed from which everything follows.</summary>
    public int Seed { get; }

    /// <summary>What interrupts its lives.</summary>
    public SwarmEnd End => (Math.Abs(Seed) % 5) switch
    {
        0 => SwarmEnd.Killed,
        < 3 => SwarmEnd.Crashed,
        _ => SwarmEnd.Closed,
    };

    /// <summary>
    /// The options with which the store is opened, every time; for two tiers those that both engines have.
    /// </summary>
    public StoreOptions Options { get; private init; }

    /// <summary>The options of two tiers; null: the engine is FASTER.</summary>
    public TieredOptions? Tiers { get; private init; }

    /// <summary>The options of a transactional store; null: another engine.</summary>
    public TransactionalOptions? Table { get; private init; }

    /// <summary>Whether each operation is durable when it is acknowledged.</summary>
    public bool IsEachDurable => Seed < 0;

    /// <summary>Whether commits wait for what is pending, or exclude it.</summary>
    public PendingOrder Order => IsEachDurable ? PendingOrder.Relaxed : Options.PendingOrder;

    /// <summary>Whether appends are merged.</summary>
    public bool Merges { get; private init; }

    /// <summary>Whether records may expire: sessions set times to live, and the clock moves.</summary>
    public bool Expires { get; private init; }

    /// <summary>The kinds of commits that it makes.</summary>
    public required IReadOnlyList<CommitKind> Kinds { get; init; }

    /// <summary>How many keys there are.</summary>
    public int Keys { get; private init; }

    /// <summary>The most bytes of an ordinary value.</summary>
    public int ValueLength { get; private init; }

    /// <summary>Whether all values have that length, so that they are replaced in place.</summary>
    public bool IsFixedLength { get; private init; }

    /// <summary>One value in this many is larger than a page; 0: none.</summary>
    public int LargeEvery { get; private init; }

    /// <summary>The most bytes of a large value.</summary>
    public int LargeLength { get; private init; }

    /// <summary>How often the store is opened.</summary>
    public int Lives { get; private init; }

    /// <summary>About how many operations a life has.</summary>
    public int Operations { get; private init; }

    /// <summary>About how many operations there are between two commits.</summary>
    public int OperationsOfACommit { get; private init; }

    /// <summary>The percentage of operations that are read-modify-writes.</summary>
    public int Appends { get; private init; }

    /// <summary>The percentage of operations that append to several keys as one.</summary>
    public int AppendsToAll => Appends / (Table is null ? 10 : 3);

    /// <summary>The most bytes of a value after appending. Values that are merged must fit a page.</summary>
    public int LongestAppended { get; private init; }

    /// <summary>The plan of a seed.</summary>
    public static SwarmPlan Of(int seed) => seed < 0 ? WithLogs(Drawn(-seed), seed) : Drawn(seed);

    private static SwarmPlan Drawn(int seed)
    {
        var random = new Random(seed);
        long budget = BudgetsInKiB[random.Next(BudgetsInKiB.Length)] * 1024L;
        StoreOptions options = OptionsOf(random, budget);
        int length = random.Next(4) switch
        {
            0 => 8 + random.Next(24),
            1 => 16 + random.Next(200),
            2 => 100 + random.Next(900),
            _ => 500 + random.Next(3500),
        };
        int most = (int)Math.Min(MaxKeys, budget * (1 + random.Next(3)) / (length + 48));
        int operations = Math.Clamp((int)(budget * (1 + random.Next(4)) / (length + 48)), 400, MaxOperations);
        CommitKind[] all = Enum.GetValues<CommitKind>();
        if (seed >= FirstTransactional)
        {
            var table = new SwarmPlan(seed, options) { Kinds = all, ValueLength = length, Operations = operations };
            return Transactional(random, table);
        }

        bool isTiered = seed >= FirstTiered;
        bool merges = options.TimeToLive == TimeSpan.Zero && random.Next(6) == 0; // takes no time to live
        return new SwarmPlan(seed, options)
        {
            Tiers = isTiered ? TiersOf(random, options) : null,
            Merges = merges,
            Expires = options.TimeToLive > TimeSpan.Zero || (!merges && random.Next(6) == 0),
            Kinds = random.Next(3) switch
            {
                0 => all,
                1 => [all[random.Next(all.Length)]],
                _ => [CommitKind.Incremental],
            },
            Keys = Math.Max(MinKeys, most / (1 << random.Next(6))),
            ValueLength = length,
            IsFixedLength = random.Next(2) == 0,
            LargeEvery = !merges && random.Next(4) == 0 ? 20 + random.Next(400) : 0,
            LargeLength = (int)Math.Min(LongestValue, isTiered ? LongestOfTiers : budget / 4),
            LongestAppended = merges ? (int)(options.PageSize.Bytes / 2) : LongestOfTiers,
            Lives = 2 + random.Next(4),
            Operations = operations,
            OperationsOfACommit = operations / (2 + random.Next(20)),
            Appends = options.PendingOrder == PendingOrder.Relaxed ? 30 + random.Next(60)
                : random.Next(3) == 0 ? 0
                : random.Next(70),
        };
    }

    /// <summary>One line with what is special about it.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"seed {Seed}, {End}{(IsEachDurable ? $", logs of {Options.OperationLogSize}" : string.Empty)}: "
        + $"{(Tiers is { } tiers ? Text(tiers) : Table is { } table ? Text(table) : string.Empty)}"
        + $"{Options.MemoryBudget}, page {Options.PageSize}, expected keys {Options.ExpectedKeys}, "
        + $"{Options.Allocator}, mutable {Options.MutableFraction}, cache {Options.ReadCacheFraction}, "
        + $"{Options.PendingOrder}, segments {Options.SegmentSize}, disk budget {Options.DiskBudget}, "
        + $"live {Options.TimeToLive}, commit every {Options.CommitEvery}, {(Merges ? "merging, " : string.Empty)}"
        + $"{(Expires ? "expiring, " : string.Empty)}{string.Join('/', Kinds)}; {Keys} keys of "
        + $"{(IsFixedLength ? string.Empty : "up to ")}{ValueLength} bytes, one in {LargeEvery} up to {LargeLength}, "
        + $"{Lives} lives of {Operations} operations, {OperationsOfACommit} a commit");

    // The logs come on top of the memory that was drawn. A record takes a quarter of a log at most; what is appended to
    // may be large, too. Each operation is a sync, so there are fewer of them.
    private static SwarmPlan WithLogs(SwarmPlan drawn, int seed)
    {
        var random = new Random(seed);
        ByteSize size = ByteSize.KiB(64 << random.Next(drawn.Tiers is null ? 6 : 4));
        bool readsAwait = random.Next(4) == 0;
        StoreOptions options = drawn.Options with
        {
            Durability = Durability.EachOperation, OperationLogSize = size, ReadsAwaitDurability = readsAwait,
        };
        OperationLogShape shape = OperationLogShape.For(options);
        int half = (int)((shape.BytesEach / 4) - Header) / 2;
        ByteSize With(ByteSize memory, int times) => new(memory.Bytes + (times * shape.MemoryBytes));
        return new SwarmPlan(seed, options with { MemoryBudget = With(options.MemoryBudget, 1) })
        {
            Tiers = drawn.Tiers is { } tiers
                ? tiers with
                {
                    Durability = Durability.EachOperation, OperationLogSize = size, ReadsAwaitDurability = readsAwait,
                    MemoryBudget = With(tiers.MemoryBudget, 4), // of which the cold tier takes its part
                }
                : null,
            Merges = drawn.Merges, Expires = drawn.Expires, Kinds = drawn.Kinds, Keys = drawn.Keys,
            ValueLength = Math.Min(drawn.ValueLength, half), IsFixedLength = drawn.IsFixedLength,
            LargeEvery = drawn.LargeEvery, LargeLength = Math.Min(drawn.LargeLength, half),
            LongestAppended = Math.Min(drawn.LongestAppended, half), Lives = drawn.Lives,
            Operations = Math.Min(drawn.Operations, MaxDurable),
            OperationsOfACommit = Math.Min(drawn.OperationsOfACommit, MaxDurable / 2), Appends = drawn.Appends,
        };
    }

    // All records are in memory. Nothing expires or waits for the disk, and no log is compacted.
    private static SwarmPlan Transactional(Random random, SwarmPlan drawn)
    {
        int longest = 4 * drawn.ValueLength, keys = Math.Max(MinKeys, BytesOfTable / longest);
        return drawn with
        {
            Table = new TransactionalOptions
            {
                MemoryBudget = ByteSize.KiB(4096 + (8 * (BytesOfTable >> 10))), CommitOnDispose = false,
                ExpectedKeys = drawn.Options.ExpectedKeys, CommitEvery = drawn.Options.CommitEvery,
                CommitAlgorithm = random.Next(2) == 0 ? CommitAlgorithm.Cpr : CommitAlgorithm.Calc,
                ReadsLock = random.Next(4) == 0,
            },
            Options = drawn.Options with
            {
                PendingOrder = PendingOrder.Strict, TimeToLive = TimeSpan.Zero, DiskBudget = default,
            },
            Keys = Math.Clamp(keys >> random.Next(4), MinKeys, MaxKeys), IsFixedLength = random.Next(2) == 0,
            LargeEvery = random.Next(4) == 0 ? 50 + random.Next(400) : 0, LargeLength = BytesOfTable / 8,
            LongestAppended = longest, Lives = 2 + random.Next(4),
            OperationsOfACommit = drawn.Operations / (2 + random.Next(20)), Appends = 30 + random.Next(60),
        };
    }

    private static StoreOptions OptionsOf(Random random, long budget)
    {
        bool hasDiskBudget = random.Next(8) == 0;
        var options = new StoreOptions
        {
            MemoryBudget = new ByteSize(budget), CommitOnDispose = false, // its lives end by what they have committed
            ExpectedKeys = random.Next(3) == 0 ? 0 : 100 << random.Next(8),
            Allocator = random.Next(7) == 0 ? RecordAllocatorKind.AppendOnly : RecordAllocatorKind.Hybrid,
            MutableFraction = random.Next(3) switch { 0 => 0.9, 1 => 0.6, _ => 0.3 },
            ReadCacheFraction = random.Next(2) == 0 ? 0 : 0.2 + (random.NextDouble() * 0.6),
            SegmentSize = ByteSize.KiB(64 << random.Next(6)),
            DiskBudget = hasDiskBudget ? new ByteSize(budget * (2 + random.Next(4))) : default,
            PendingOrder = random.Next(3) == 0 ? PendingOrder.Relaxed : PendingOrder.Strict,
            TimeToLive = random.Next(8) == 0 ? TimeSpan.FromMinutes(30 + random.Next(300)) : TimeSpan.Zero,
            CommitEvery = random.Next(8) == 0 ? TimeSpan.FromMilliseconds(1 + random.Next(20)) : TimeSpan.Zero,
            IndexCheckpointEveryBytes = random.Next(4) == 0 ? ByteSize.KiB(64 << random.Next(5)) : default,
        };
        int mostBits = BitOperations.Log2((ulong)budget) - 3;
        int first = random.Next(2) == 0 ? random.Next(12, mostBits + 1) : mostBits - random.Next(2); // flushed in parts
        for (int bits = first; bits >= 12; bits--)
        {
            StoreOptions sized = options with { PageSize = new ByteSize(1L << bits) };
            if (Fits(() => MemoryPlan.For(sized))) return sized;
        }

        return options with { DiskBudget = default, ExpectedKeys = 0 };
    }

    // The hot log is so small that records leave it; what both engines have is as it was drawn.
    private static TieredOptions TiersOf(Random random, StoreOptions drawn)
    {
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.KiB(2048 + (512 * random.Next(5))),
            ColdFraction = random.Next(3) == 0 ? 0 : 0.3 + (random.NextDouble() * 0.3),
            HotLogSize = ByteSize.KiB(64 << random.Next(4)), ReadCacheFraction = drawn.ReadCacheFraction,
            MutableFraction = drawn.MutableFraction, SegmentSize = drawn.SegmentSize, ExpectedColdKeys = 1000,
            CompactionThreads = 1 + random.Next(2), CommitOnDispose = false, PendingOrder = drawn.PendingOrder,
            DiskBudget = drawn.DiskBudget.Bytes == 0 ? default : ByteSize.MiB(8 + random.Next(24)),
            TimeToLive = drawn.TimeToLive, CommitEvery = drawn.CommitEvery,
            IndexCheckpointEveryBytes = drawn.IndexCheckpointEveryBytes,
        };
        for (int bits = 12 + random.Next(3); bits > 12; bits--)
        {
            TieredOptions sized = options with { PageSize = new ByteSize(1L << bits) };
            if (Fits(() => TieredPlan.For(sized, Engine.FasterWorkStore.SchemaOf(bytes: true)))) return sized;
        }

        return options with { PageSize = ByteSize.KiB(4), DiskBudget = default };
    }

    private static string Text(TieredOptions tiers) => string.Create(
        CultureInfo.InvariantCulture,
        $"two tiers of {tiers.MemoryBudget}, cold {tiers.ColdFraction:0.00}, hot log {tiers.HotLogSize}, page "
        + $"{tiers.PageSize}, {tiers.CompactionThreads} threads, disk budget {tiers.DiskBudget}; drawn: ");

    private static string Text(TransactionalOptions table) => string.Create(
        CultureInfo.InvariantCulture,
        $"a table of {table.MemoryBudget}, {table.CommitAlgorithm}, expected keys {table.ExpectedKeys}, reads lock: "
        + $"{table.ReadsLock}; drawn: ");

    private static bool Fits(Func<object> plan)
    {
        try
        {
            _ = plan();
            return true;
        }
        catch (ArgumentOutOfRangeException)
        {
            return false;
        }
    }
}
