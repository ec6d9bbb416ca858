using Faster.Crash.Disk;
using Faster.Crash.Leases;
using Faster.Crash.Ledgers;

namespace Faster.Crash.Crashes;

/// <summary>A store on a crash disk whose notes say what must be recovered of it.</summary>
internal interface INotedStore
{
    /// <summary>Its name in reports and in trace files.</summary>
    string Name { get; }

    /// <summary>The seed of its plan.</summary>
    int Seed { get; }

    /// <summary>Recovers, judges by the notes, and notes on the disk what was recovered and reported.</summary>
    /// <param name="disk">The disk.</param>
    /// <param name="notes">What had been noted before.</param>
    /// <param name="chosen">May choose how it is opened.</param>
    /// <returns>What is wrong, or null.</returns>
    Task<string?> RecoverAsync(CrashDisk disk, IReadOnlyList<string> notes, int chosen);

    /// <summary>Recovers and judges, and then runs for some rounds, which it notes on the disk.</summary>
    /// <returns>What is wrong with what was recovered, or null.</returns>
    Task<string?> GoOnAsync(CrashDisk disk, IReadOnlyList<string> notes, int chosen);

    /// <summary>The store of a name, or null if runs of that name are judged by other means.</summary>
    static INotedStore? Find(string name, int seed) =>
        name == LeasePlan.Feature ? new NotedLease(new LeasePlan(seed))
        : Enum.TryParse(name, out LedgerFeature feature) ? new NotedLedger(new LedgerPlan(feature, seed))
        : null;
}
