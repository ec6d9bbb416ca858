using CountStore.Counting;
using Faster;

namespace CountStore.Report;

/// <summary>What a run has committed, and what it went on from.</summary>
/// <param name="Commits">How many commits it made.</param>
/// <param name="KeysResumedFrom">How many keys of the input earlier runs had counted and committed.</param>
/// <param name="Recovery">What was recovered; null where there was no commit to recover from.</param>
internal sealed record CommittedPart(long Commits, long KeysResumedFrom, RecoveryReport? Recovery)
{
    /// <summary>A run's durability, when its counting is done.</summary>
    public static CommittedPart Of(StoreCounter counter, CountingPass pass) =>
        new(counter.Commits, pass.KeysPassed, counter.Recovery);
}
