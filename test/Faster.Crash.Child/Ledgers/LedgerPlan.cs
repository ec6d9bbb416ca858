using Faster.Crash.Workloads;

namespace Faster.Crash.Ledgers;

/// <summary>What runs beside the writing of a ledger, and is interrupted.</summary>
public enum LedgerFeature
{
    /// <summary>The log is truncated by address.</summary>
    Truncating,

    /// <summary>The log is truncated by age.</summary>
    TruncatingByAge,

    /// <summary>Exports are imported.</summary>
    Importing,

    /// <summary>A subscriber follows what is committed.</summary>
    Following,

    /// <summary>Commits of all kinds are scanned, each while the next ones are made.</summary>
    Exporting,
}

/// <summary>
/// A ledger: one session puts the keys 1, 2, 3, … with values that follow from the key and the life of the process, so
/// that the content of a store shows exactly which operations it contains, and which part of the log is gone.
/// </summary>
/// <param name="Feature">What runs beside it.</param>
/// <param name="Seed">Chooses when it happens.</param>
public sealed record LedgerPlan(LedgerFeature Feature, int Seed)
{
    /// <summary>The session.</summary>
    public const string Session = "ledger";

    /// <summary>Imported keys begin at multiples of this.</summary>
    public const long ImportsApart = 1_000_000_000;

    /// <summary>How many records an import has.</summary>
    public const int ImportedRecords = 500;

    /// <summary>What is older than this is truncated by age.</summary>
    public static readonly TimeSpan Age = TimeSpan.FromHours(3.5);

    /// <summary>How many operations lie between two commits, at most.</summary>
    public int LongestRound { get; init; } = 160;

    /// <summary>The options of the store.</summary>
    public StoreOptions Options { get; init; } = new()
    {
        MemoryBudget = StoreOptions.MinMemoryBudget, PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        ReadCacheFraction = 0, CommitOnDispose = false, // each commit is one that the run notes
    };

    /// <summary>The value of a key that was written in a life.</summary>
    public static long ValueOf(long key, int life) =>
        (long)(WorkloadPlan.Mix((ulong)key + ((ulong)life << 40)) >> 1);
}
