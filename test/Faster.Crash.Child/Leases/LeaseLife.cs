using Faster.Contracts;
using Faster.Engines;

namespace Faster.Crash.Leases;

/// <summary>One life of a process that writes leases in a folder.</summary>
public static class LeaseLife
{
    /// <summary>Opens the store, whatever is in the folder, and runs.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="plan">What is done.</param>
    /// <param name="life">Which life this is, from 1.</param>
    /// <param name="rounds">How many rounds, unless it is killed before.</param>
    /// <param name="note">Takes notes.</param>
    public static async Task GoAsync(string folder, LeasePlan plan, int life, int rounds, Action<string> note)
    {
        ArgumentNullException.ThrowIfNull(note);
        note("begun");
        LeaseTime time = LeaseTime.OfLife(life);
        FasterStore store = await OpenAsync(folder, plan, time).ConfigureAwait(false);
        await using (store.ConfigureAwait(false))
            await new LeaseRun(plan, store, life, time, note).GoAsync(rounds).ConfigureAwait(false);
    }

    /// <summary>Opens the store of a folder.</summary>
    public static ValueTask<FasterStore> OpenAsync(string folder, LeasePlan plan, LeaseTime time)
    {
        ArgumentNullException.ThrowIfNull(plan);
        return FasterStore.OpenAsync(folder, plan.Options with { TimeProvider = time }, LeasePlan.Schema, default);
    }
}
