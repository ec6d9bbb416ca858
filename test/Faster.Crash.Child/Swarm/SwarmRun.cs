using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Crash.Leases;
using Faster.Devices;

namespace Faster.Crash.Swarm;

/// <summary>One store of the swarm, from its first opening to its last.</summary>
/// <param name="plan">What it is, and how it is worked with.</param>
/// <param name="medium">What it lies on.</param>
/// <param name="tally">Counts.</param>
internal sealed class SwarmRun<TProbe>(SwarmPlan plan, ISwarmMedium medium, SwarmTally tally)
    where TProbe : struct, IProbe
{
    private readonly SwarmHistory _history = new();
    private readonly LeaseTime? _clock = plan.Expires ? new LeaseTime() : null;
    private readonly Random _random = new(plan.Seed * 7919);

    /// <summary>Runs all lives.</summary>
    /// <exception cref="SwarmViolation">A promise was broken.</exception>
    public async Task GoAsync()
    {
        tally.Add(SwarmCount.Stores);
        for (int life = 1; life <= plan.Lives; life++)
        {
            tally.Add(SwarmCount.Lives);
            using var gate = new SwarmGate();
            FasterStore<TProbe> store = await OpenAsync(gate).ConfigureAwait(false);
            await using (store.ConfigureAwait(false))
            {
                await JudgeAsync(store).ConfigureAwait(false);
                using var one = new SwarmLife<TProbe>(plan, store, _history, gate, _clock, _random, tally);
                await one.GoAsync().ConfigureAwait(false);
                await one.EndAsync().ConfigureAwait(false);
            }
        }
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
    public static Dictionary<int, SwarmFound> ReadAll(FasterStore<TProbe> store, SwarmPlan plan)
    {
        using FasterSession<TProbe> session = store.StartSession();
        return SwarmLook<TProbe>.Read(
            new SwarmSeat<TProbe>(session, new SwarmClient(0, null), plan.Merges), plan.Keys + 2);
    }

    private async Task<FasterStore<TProbe>> OpenAsync(SwarmGate gate)
    {
        StoreOptions options = _clock is null ? plan.Options : plan.Options with { TimeProvider = _clock };
        RecordSchema schema = EngineStore.SchemaOf(bytes: true, plan.Merges);
        try
        {
            return await Task.Run(() => StoreOpening<TProbe>.Open(
                new GatedFiles(medium.Mount(plan), gate), options, schema, mustExist: false, null, default))
                .ConfigureAwait(false);
        }
        catch (FasterException e)
        {
            throw new SwarmViolation(
                SwarmFault.OpenRefused, $"After commit {_history.LastTold?.Version}: {e.Message}", e);
        }
    }

    private async Task JudgeAsync(FasterStore<TProbe> store)
    {
        if (store.Recovery is not { } recovery)
        {
            if (_history.LastTold is { } lost)
                throw new SwarmViolation(SwarmFault.RecoveredState, $"Commit {lost.Version} was told; none is found.");
            _history.Reset();
            return;
        }

        if (recovery.Version < (_history.LastTold?.Version ?? 0))
        {
            throw new SwarmViolation(
                SwarmFault.RecoveredState,
                $"Commit {_history.LastTold!.Version} was told, but {recovery.Version} was recovered.");
        }

        SwarmTold told = _history.Recovered(recovery.Version, recovery.Sessions);
        Dictionary<int, SwarmFound> found = ReadAll(store, plan);
        long time = _clock?.Milliseconds ?? 0;
        if (_history.Compare(told, found, time, out long cut) is { } wrong)
            throw new SwarmViolation(SwarmFault.RecoveredState, wrong);
        _history.Recover(told, cut);
        Compare(
            await SwarmLook<TProbe>.ScanAsync(store, null).ConfigureAwait(false), _history.Now(), time,
            "a scan after recovery");
        tally.Add(SwarmCount.StatesCompared, 2);
    }
}
