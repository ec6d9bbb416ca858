using Faster.Contracts;
using Faster.Crash.Leases;

namespace Faster.Crash.Swarm;

/// <summary>One store of the swarm, from its first opening to its last.</summary>
/// <param name="plan">Its configuration and workload.</param>
/// <param name="medium">Its storage.</param>
/// <param name="history">What has happened before.</param>
/// <param name="clock">The clock of records that expire; else null.</param>
/// <param name="counters">Counts.</param>
internal sealed class SwarmRun(
    SwarmPlan plan, ISwarmMedium medium, SwarmHistory history, LeaseTime? clock, SwarmTally counters)
{
    /// <summary>Runs all lives.</summary>
    /// <exception cref="SwarmViolation">A promise was broken.</exception>
    public async Task GoAsync()
    {
        counters.Add(SwarmCount.Stores);
        for (int life = 1; life <= plan.Lives; life++) await LiveAsync(life).ConfigureAwait(false);
    }

    /// <summary>Opens the store, judges it, and runs operations until it is closed or its disk stops.</summary>
    /// <exception cref="SwarmViolation">A promise was broken.</exception>
    public async Task LiveAsync(int life)
    {
        counters.Add(SwarmCount.Lives);
        var random = new Random((plan.Seed * 7919) + life);
        using var gate = new SwarmGate();
        SwarmStore? store = null;
        SwarmLife? one = null;
        try
        {
            store = await OpenAsync(gate).ConfigureAwait(false);
            await JudgeAsync(store).ConfigureAwait(false);
            one = new SwarmLife(plan, store, history, gate, clock, random, counters);
            await one.GoAsync().ConfigureAwait(false);
            await one.EndAsync().ConfigureAwait(false);
        }
        catch (Exception) when (medium.HasCrashed)
        {
            // From here on every call fails.
        }
        finally
        {
            one?.Dispose();
            if (store is not null) await CloseAsync(store).ConfigureAwait(false);
        }

        one?.Hear();
        if (medium.HasCrashed) medium.GoOn();
    }

    /// <summary>Compares what an open store shows with what was done in it.</summary>
    public static void Compare(Dictionary<int, SwarmFound>? found, SwarmState state, long time, string by)
    {
        if (found is null) return;
        foreach (int key in found.Keys.Concat(state.Keys))
        {
            SwarmFound? there = found.TryGetValue(key, out SwarmFound value) ? value : null;
            SwarmValue? expected = state.Find(key, time);
            if (SwarmFound.Same(there, expected)) continue;
            throw new SwarmViolation(
                SwarmFault.LiveState,
                $"Key {key} has {there?.Length ?? -1} bytes by {by}, but must have {expected?.Length ?? -1}.");
        }
    }

    /// <summary>Reads every key of an open store.</summary>
    public static Dictionary<int, SwarmFound> ReadAll(SwarmStore store, SwarmPlan plan)
    {
        using ICommitSession session = store.Start(null);
        return SwarmLook.Read(new SwarmSeat(session, new SwarmClient(0, null), plan.Merges), plan.Keys + 2);
    }

    private async Task CloseAsync(SwarmStore store)
    {
        try
        {
            await store.DisposeAsync().ConfigureAwait(false);
        }
        catch (FasterException) when (medium.HasCrashed)
        {
            // What is left of it is checked.
        }
    }

    private async Task<SwarmStore> OpenAsync(SwarmGate gate)
    {
        try
        {
            return await Task.Run(() => SwarmStore.Open(plan, new GatedFiles(medium.Mount(), gate), clock))
                .ConfigureAwait(false);
        }
        catch (FasterException e)
        {
            throw new SwarmViolation(
                SwarmFault.OpenRefused, $"After commit {history.LastTold?.Version}: {e.Message}", e);
        }
    }

    private async Task JudgeAsync(SwarmStore store)
    {
        if (store.Recovery is not { } recovery)
        {
            if (history.LastTold is { } lost)
                throw new SwarmViolation(SwarmFault.RecoveredState, $"Commit {lost.Version} was told; none is found.");
            if (history.FirstAcknowledged is { } done)
                throw new SwarmViolation(SwarmFault.RecoveredState, $"{done} was acknowledged; no commit is found.");
            history.Reset();
            return;
        }

        if (recovery.Version < (history.LastTold?.Version ?? 0))
        {
            throw new SwarmViolation(
                SwarmFault.RecoveredState,
                $"Commit {history.LastTold!.Version} was told, but {recovery.Version} was recovered.");
        }

        SwarmTold told = history.Recovered(recovery.Version, recovery.Sessions);
        Dictionary<int, SwarmFound> found = ReadAll(store, plan);
        long time = clock?.Milliseconds ?? 0;
        string? differs = plan.IsEachDurable
            ? history.CompareAcknowledged(told, found, time, out long cut)
            : history.Compare(told, found, time, out cut);
        if (differs is { } wrong)
            throw new SwarmViolation(SwarmFault.RecoveredState, wrong);
        history.Recover(told, cut);
        Compare(
            await SwarmLook.ScanAsync(store, null).ConfigureAwait(false), history.Now(), time,
            "a scan after recovery");
        counters.Add(SwarmCount.StatesCompared, 2);
    }
}
