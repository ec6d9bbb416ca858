using Faster.Crash.Ledgers;
using Faster.Crash.Workloads;

namespace Faster.Crash.Leases;

/// <summary>What a store of leases holds after some operations, and until when. Immutable.</summary>
public sealed class LeaseModel
{
    private readonly Dictionary<int, (byte[] Value, long Expiry)> _values = [];

    /// <summary>
    /// The state after the operations up to a number, each at the time and in the life that the notes give.
    /// </summary>
    public LeaseModel(LeasePlan plan, LedgerNotes notes, long serial)
    {
        ArgumentNullException.ThrowIfNull(plan);
        ArgumentNullException.ThrowIfNull(notes);
        for (long number = 1; number <= serial; number++)
        {
            (Step step, TimeSpan timeToLive) = plan.StepOf(number, notes.LifeOf(number));
            Apply(step, timeToLive, notes.TimeOf(number));
        }
    }

    /// <summary>The last value of a key that was not deleted, and when it expires, in Unix milliseconds.</summary>
    public (byte[] Value, long Expiry)? Find(int key) =>
        _values.TryGetValue(key, out (byte[], long) state) ? state : null;

    private void Apply(Step step, TimeSpan timeToLive, long now)
    {
        long renewed = timeToLive == TimeSpan.Zero ? long.MaxValue : now + (long)timeToLive.TotalMilliseconds;
        switch (step.Kind)
        {
            case StepKind.Put:
                _values[step.Key] = (step.Value, renewed);
                break;
            case StepKind.Add when Find(step.Key) is { } old && old.Expiry > now:
                _values[step.Key] = ([.. old.Value, .. step.Value], Kept(old.Expiry, renewed));
                break;
            case StepKind.Add:
                _values[step.Key] = (step.Value, renewed);
                break;
            case StepKind.Delete when Find(step.Key) is { } dead && dead.Expiry <= now:
                break; // there is nothing to delete, nor need there be a tombstone: the clock hides it
            case StepKind.Delete:
                _values.Remove(step.Key);
                break;
        }
    }

    // A write without a time to live leaves a live record the expiry that it has.
    private static long Kept(long old, long renewed) => renewed == long.MaxValue ? old : renewed;
}
