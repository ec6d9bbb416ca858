using Faster.Contracts;
using Faster.Crash.Disk;
using Faster.Crash.Leases;
using Faster.Crash.Ledgers;
using Faster.Engines;
using Faster.Opening;

namespace Faster.Crash.Crashes;

/// <summary>Stores of leases on crash disks.</summary>
internal static class LeaseDisk
{
    private const int Pages = 6;
    private const long LongestSetBack = 90 * 60_000;

    /// <summary>Opens the store of a disk, with so little memory that the log goes to disk.</summary>
    public static async Task<FasterStore> OpenAsync(CrashDisk disk, LeasePlan plan, LeaseTime time)
    {
        FasterStore store = await Task.Run(() => StoreOpener.Open(
            disk.Mount(), plan.Options with { TimeProvider = time }, LeasePlan.Schema, mustExist: false, null,
            default));
        store.Log.SetMemory((long)Pages << store.Core.MemoryPlan.PageBits);
        return store;
    }

    /// <summary>The clock that a recovery finds, by a seed: as it was at the crash, or set back.</summary>
    public static LeaseTime ClockAfter(LedgerNotes notes, int seed) => LeaseTime.At(
        Math.Max(notes.LatestTime - (seed % 2 == 0 ? 0 : new Random(seed).NextInt64(LongestSetBack)), 0));

    /// <summary>Recovers, and says what is wrong, or null.</summary>
    public static async Task<string?> JudgeAsync(
        CrashDisk disk, LeasePlan plan, IEnumerable<string> notes, int seed) =>
        (await RecoverAsync(disk, plan, notes, seed)).Wrong;

    /// <summary>
    /// Recovers, and returns what is wrong, or null, and the last recovered number, which is noted because clients rely
    /// on it from then on.
    /// </summary>
    public static async Task<(string? Wrong, long Serial)> RecoverAsync(
        CrashDisk disk, LeasePlan plan, IEnumerable<string> notes, int seed)
    {
        LedgerNotes told = LedgerNotes.Parse(notes);
        LeaseTime time = ClockAfter(told, seed);
        try
        {
            await using FasterStore store = await OpenAsync(disk, plan, time);
            (string? wrong, long serial) = await LeaseOracle.JudgeAsync(store, plan, told, time, disk.Mark);
            if (wrong is null) disk.Mark(LedgerNotes.CommitOf(serial, 0));
            return (wrong, serial);
        }
        catch (FasterException e)
        {
            return ($"It could not be recovered: {e}", 0);
        }
    }
}
