using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Engines;

namespace Faster.Crash.Ledgers;

/// <summary>One life of a process that writes a ledger in a folder.</summary>
public static class LedgerLife
{
    /// <summary>The shape of a ledger's records.</summary>
    public static RecordSchema Schema => NumberOperations.Schema;

    /// <summary>Opens the store, whatever is in the folder, and runs.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="plan">The feature and the seed.</param>
    /// <param name="life">Which life this is, from 1.</param>
    /// <param name="rounds">How many rounds, unless it is killed before.</param>
    /// <param name="note">Takes notes.</param>
    public static async Task GoAsync(string folder, LedgerPlan plan, int life, int rounds, Action<string> note)
    {
        ArgumentNullException.ThrowIfNull(plan);
        ArgumentNullException.ThrowIfNull(note);
        note("begun");
        SteppedTime time = TimeOf(life);
        FasterStore store = await OpenAsync(folder, plan, time).ConfigureAwait(false);
        await using (store.ConfigureAwait(false))
            await new LedgerRun(plan, store, life, time, note).GoAsync(rounds).ConfigureAwait(false);
    }

    /// <summary>Opens the store of a folder.</summary>
    public static ValueTask<FasterStore> OpenAsync(string folder, LedgerPlan plan, SteppedTime time)
    {
        ArgumentNullException.ThrowIfNull(plan);
        return FasterStore.OpenAsync(folder, plan.Options with { TimeProvider = time }, Schema, default);
    }

    /// <summary>The clock of a life, later than those of all earlier lives.</summary>
    public static SteppedTime TimeOf(int life)
    {
        var time = new SteppedTime();
        time.Now += TimeSpan.FromDays(100 * life);
        return time;
    }
}
