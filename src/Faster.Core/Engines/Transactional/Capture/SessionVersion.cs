using Faster.Commits;
using Faster.Epochs;
using Faster.Operations;
using Faster.Probes;
using Faster.Tables;
using Faster.Tiers;

namespace Faster.Engines.Transactional.Capture;

/// <summary>
/// What one session knows of the commit under way, and what its attempts owe to it (docs/internals/transactions.md).
/// </summary>
/// <param name="commits">The state that the coordinator publishes.</param>
/// <param name="tier">What hits work on.</param>
/// <param name="readsLock">Whether reads always lock.</param>
internal sealed unsafe class SessionVersion(CommitState commits, Tier tier, bool readsLock) : CommitView(commits)
{
    /// <summary>The stamp of the session's version.</summary>
    public ulong Stamp { get; private set; } = LockWord.StampOf(commits.Current.OperationVersion);

    /// <summary>Whether no commit is under way, so attempts owe nothing.</summary>
    public bool IsAtRest { get; private set; } = true;

    /// <summary>
    /// Whether the session is of the version being committed while others may be of the next one: what these have read
    /// or written turns its attempts back, to be made in the next version.
    /// </summary>
    public bool IsPreparing { get; private set; }

    /// <summary>
    /// Whether the session is of the next version: it captures what has no stamp of that before it changes it.
    /// </summary>
    public bool Captures => !IsAtRest && !IsPreparing;

    /// <summary>
    /// Whether others may be of the version being committed: what the session reads gets its stamp as well, so that
    /// they don't change it any more.
    /// </summary>
    public bool StampsReads { get; private set; }

    /// <summary>
    /// Whether reads need no locks: not while attempts of both versions run beside each other, since the stamps that
    /// order these are given and seen under locks.
    /// </summary>
    public bool MayReadUnlocked { get; private set; } = !readsLock;

    /// <summary>Whether the stamp of a word says that an attempt of the next version has read or written.</summary>
    public bool IsOfNext(ulong* word) => LockWord.HasStamp(word, LockWord.StampOf(Version + 1))
        && !(Probe.On && Probe.Has(SeededBug.PrepareAcceptsNext));

    /// <summary>Whether an attempt of the session's version has stamped a word.</summary>
    public bool IsStamped(ulong* word) => LockWord.HasStamp(word, Stamp);

    /// <inheritdoc/>
    protected override void OnRefreshed(EpochSlot* slot)
    {
        Stamp = LockWord.StampOf(Version);
        IsAtRest = Phase == CommitPhase.Rest;
        IsPreparing = Phase == CommitPhase.Prepare;
        StampsReads = Phase is CommitPhase.InProgress or CommitPhase.WaitPending;
        MayReadUnlocked = !readsLock && !IsPreparing && !StampsReads;
        slot->Quiet = MayBeQuiet && !IsPreparing && !IsPoisoned ? slot->Epoch : 0;
        QuietView* view = QuietView.Of(slot);
        bool hits = view->TryNote(tier, new AttemptVersion());
        view->ReadQuiet = hits && MayReadUnlocked ? slot->Quiet : 0;
        view->UpdateQuiet = hits && IsAtRest ? slot->Quiet : 0;
    }

    /// <inheritdoc/>
    public override void ForgetQuiet(EpochSlot* slot)
    {
        base.ForgetQuiet(slot);
        QuietView.Of(slot)->ReadQuiet = QuietView.Of(slot)->UpdateQuiet = 0;
    }
}
