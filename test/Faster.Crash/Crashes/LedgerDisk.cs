using Faster.Contracts;
using Faster.Crash.Disk;
using Faster.Crash.Ledgers;
using Faster.Engines;
using Faster.Opening;

namespace Faster.Crash.Crashes;

/// <summary>Ledgers on crash disks.</summary>
internal static class LedgerDisk
{
    private const int Pages = 6;

    /// <summary>Opens the store of a disk, with so little memory that the log goes to disk.</summary>
    public static async Task<FasterStore> OpenAsync(CrashDisk disk, LedgerPlan plan, SteppedTime time)
    {
        FasterStore store = await Task.Run(() => StoreOpener.Open(
            disk.Mount(), plan.Options with { TimeProvider = time }, LedgerLife.Schema, mustExist: false, null,
            default));
        Narrow(store);
        return store;
    }

    /// <summary>Takes back the memory that the store has taken since.</summary>
    public static void Narrow(FasterStore store) => store.Log.SetMemory((long)Pages << store.Core.MemoryPlan.PageBits);

    /// <summary>Recovers, and says what is wrong, or null.</summary>
    public static async Task<string?> JudgeAsync(CrashDisk disk, LedgerPlan plan, IEnumerable<string> notes) =>
        (await RecoverAsync(disk, plan, notes)).Wrong;

    /// <summary>
    /// Recovers, and returns what is wrong, or null, and the last recovered number, which is noted because clients rely
    /// on it from then on.
    /// </summary>
    public static async Task<(string? Wrong, long Serial)> RecoverAsync(
        CrashDisk disk, LedgerPlan plan, IEnumerable<string> notes)
    {
        try
        {
            await using FasterStore store = await OpenAsync(disk, plan, LedgerLife.TimeOf(2));
            (string? wrong, long serial) = await LedgerOracle.JudgeAsync(store, LedgerNotes.Parse(notes));
            if (wrong is null) disk.Mark(LedgerNotes.CommitOf(serial, store.Statistics.BeginAddress));
            return (wrong, serial);
        }
        catch (FasterException e)
        {
            return ($"It could not be recovered: {e}", 0);
        }
    }
}
