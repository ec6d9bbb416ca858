using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Crash.Workloads;

namespace Faster.Crash.Leases;

/// <summary>
/// Leases: one session puts, appends to and deletes values of every size that expire after half an hour, after some
/// days, or never. Each operation follows from its number and the life of the process.
/// </summary>
/// <param name="Seed">The seed of the operations and their times.</param>
public sealed record LeasePlan(int Seed)
{
    /// <summary>The argument that makes the killed process do this.</summary>
    public const string Feature = "leases";

    /// <summary>The session.</summary>
    public const string Session = "leases";

    /// <summary>How many keys there are.</summary>
    public const int Keys = 48;

    /// <summary>The most by which the clock moves at a time.</summary>
    public static readonly TimeSpan LongestStep = TimeSpan.FromMinutes(40);

    private const int LongestSmall = 200, LongestLarge = 14_000; // pages have 4 KiB

    private static readonly TimeSpan[] Lives =
    [
        TimeSpan.Zero, TimeSpan.FromMinutes(30), TimeSpan.FromHours(2), TimeSpan.FromHours(30), TimeSpan.FromDays(6),
    ];

    /// <summary>The shape of the records.</summary>
    public static RecordSchema Schema => EntryOperations.Schema;

    /// <summary>The options of the store.</summary>
    public StoreOptions Options { get; init; } = new()
    {
        MemoryBudget = StoreOptions.MinMemoryBudget, PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        ReadCacheFraction = 0, CommitOnDispose = false, // each commit is one that the run notes
    };

    /// <summary>An operation, and the time to live of what it writes; zero: it never expires.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="life">The life of the process in which it was done.</param>
    public (Step Step, TimeSpan TimeToLive) StepOf(long number, int life)
    {
        ulong hash = WorkloadPlan.Mix(WorkloadPlan.Mix(((ulong)Seed << 32) + (ulong)life) + (ulong)number);
        StepKind kind = (hash % 16) switch
        {
            < 8 => StepKind.Put,
            < 12 => StepKind.Add,
            < 13 => StepKind.Delete,
            _ => StepKind.Read,
        };
        var random = new Random((int)(hash >> 33));
        byte[] value = new byte[1 + random.Next((hash >> 8) % 8 == 0 ? LongestLarge : LongestSmall)];
        random.NextBytes(value);
        int key = (int)((hash >> 16) % Keys);
        return (new Step(0, number, kind, key, value), Lives[random.Next(Lives.Length)]);
    }
}
