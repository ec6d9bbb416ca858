using Faster.Crash.Workloads;

namespace Faster.Crash.Ledgers;

/// <summary>What goes on beside the writing of a ledger, and is interrupted.</summary>
public enum LedgerFeature
{
    /// <summary>The log is truncated by address.</summary>
    Truncating,

    /// <summary>The log is truncated by age.</summary>
    TruncatingByAge,

    /// <summary>Exports are imported.</summary>
    Importing,

    /// <summary>Somebody follows what is committed.</summary>
    Following,

    /// <summary>Commits of all kinds are scanned, each while the next ones are made.</summary>
    Exporting,
}

/// <summary>
/// A ledger: one session puts the keys 1, 2, 3, … with values that follow from the key and the life of the process, so
/// that what a store holds says exactly which operations are in it, and which part of the log is not.
/// </summary>
/// <param name="Feature">What goes on beside it.</param>
/// <param name="Seed">Chooses when.</param>
public sealed record LedgerPlan(LedgerFeature Feature, int Seed)
{
    /// <summary>The session.</summary>
    public const string Session = "ledger";

    /// <summary>Imported keys begin at multiples of this.</summary>
    public const long ImportsApart = 1_000_000_000;

    /// <summary>How many records an import has.</summary>
    public const int ImportedRecords = 500;

    /// <summary>What lies longer ago is truncated by age.</summary>
    public static readonly TimeSpan Age = TimeSpan.FromHours(3.5);

    /// <summary>How many operations lie between two commits, at most.</summary>
    public int LongestRound { get; init; } = 160;

    /// <summary>The options of the store.</summary>
    public StoreOptions Options { get; init; } = new()
    {
        MemoryBudget = StoreOptions.LeastMemoryBudget, PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        ReadCacheFraction = 0,
    };

    /// <summary>The value of a key that was written in a life.</summary>
    public static long ValueOf(long key, int life) =>
        (long)(WorkloadPlan.Mix((ulong)key + ((ulong)life << 40)) >> 1);
}
