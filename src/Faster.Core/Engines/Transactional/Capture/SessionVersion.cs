using Faster.Commits;
using Faster.Epochs;
using Faster.Operations;
using Faster.Probes;
using Faster.Sessions;
using Faster.Tables;
using Faster.Tiers;

namespace Faster.Engines.Transactional.Capture;

/// <summary>
/// What one session knows of the commit under way, and what its attempts owe to it
/// (docs/internals/transaction-commits.md).
/// </summary>
/// <remarks>
/// By CPR the version of an attempt is the session's. With a commit log it is that of the log at the moment at which
/// the attempt appends under its locks: while a commit prepares, that may be the next one already, whose first attempt
/// then notes the session's commit point.
/// </remarks>
/// <param name="session">The session.</param>
/// <param name="commits">The state that the coordinator publishes.</param>
/// <param name="log">The commit log; or null.</param>
/// <param name="tier">What hits work on.</param>
/// <param name="readsLock">Whether reads always lock.</param>
/// <param name="isLogged">Whether there is a redo log: then nothing is a hit.</param>
internal sealed unsafe class SessionVersion(
    SessionCore session, CommitState commits, CommitLog? log, Tier tier, bool readsLock, bool isLogged)
    : CommitView(commits)
{
    private readonly bool _readsLock = readsLock || log is not null; // they append

    /// <summary>The stamp of the attempt's version.</summary>
    public ulong Stamp { get; private set; } = LockWord.StampOf(commits.Current.OperationVersion);

    /// <summary>Whether attempts owe nothing: no commit is under way, and there is no commit log.</summary>
    public bool IsAtRest { get; private set; } = log is null;

    /// <summary>
    /// Whether the session is of the version being committed while others may be of the next one: what these have read
    /// or written turns its attempts back, to be made in the next version.
    /// </summary>
    public bool IsPreparing { get; private set; }

    /// <summary>
    /// Whether the attempt may be of the next version, and so needs space to capture what has no stamp of that.
    /// </summary>
    public bool MayCapture { get; private set; }

    /// <summary>Whether the attempt is of the next version: it captures what it changes.</summary>
    public bool Captures { get; private set; }

    /// <summary>
    /// Whether an attempt may use all that it locks: none of it turns the attempt back, or needs another lock.
    /// </summary>
    public bool AdmitsAll { get; private set; } = true;

    /// <summary>The stamp of the next version, while a commit is under way.</summary>
    public ulong NextStamp { get; private set; }

    /// <summary>
    /// Whether others may be of the version being committed: what the session reads gets its stamp as well, so that
    /// they don't change it any more.
    /// </summary>
    public bool StampsReads { get; private set; }

    /// <summary>
    /// Whether reads need no locks: not while attempts of both versions run beside each other, since the stamps that
    /// order these are given and seen under locks.
    /// </summary>
    public bool MayReadUnlocked { get; private set; } = !readsLock && log is null;

    /// <summary>The version of an attempt that has all its locks, and has appended.</summary>
    public long OfAttempt => MayCapture && Stamp == NextStamp ? CommittingVersion + 1 : Version;

    /// <summary>Whether the stamp of a word says that an attempt of the next version has read or written.</summary>
    public bool IsOfNext(ulong* word) => LockWord.HasStamp(word, NextStamp)
        && !(Probe.On && Probe.Has(SeededBug.PrepareAcceptsNext));

    /// <summary>
    /// Gives an attempt that has all its locks, and everything else that it needs, its version. Nothing fails from here
    /// on but user code.
    /// </summary>
    public void Append()
    {
        if (log is null) return;
        EpochSlot* slot = session.Slot;
        ulong stamp = log.Append(slot->Serial + 1);
        if (!(Probe.On && Probe.Has(SeededBug.VersionReadApart))) Stamp = stamp;
        Captures = MayCapture && Stamp == NextStamp;
        if (!Captures || slot->PointVersion == CommittingVersion) return;
        NotePoint(slot, CommittingVersion);
        session.Registry.NoteWork(CommittingVersion + 1);
    }

    /// <inheritdoc/>
    protected override void OnRefreshed(EpochSlot* slot)
    {
        bool isAtRest = Phase == CommitPhase.Rest, prepares = Phase == CommitPhase.Prepare;
        Stamp = LockWord.StampOf(Version);
        NextStamp = LockWord.StampOf(CommittingVersion + 1);
        IsAtRest = isAtRest && log is null;
        IsPreparing = prepares && log is null;
        MayCapture = !isAtRest && !IsPreparing;
        Captures = !isAtRest && !prepares;
        StampsReads = log is null && Phase is (CommitPhase.InProgress or CommitPhase.WaitPending);
        AdmitsAll = !IsPreparing && !StampsReads;
        MayReadUnlocked = !_readsLock && AdmitsAll;
        slot->Quiet = MayBeQuiet && !prepares && !IsPoisoned ? slot->Epoch : 0;
        QuietView* view = QuietView.Of(slot);
        bool hits = view->TryNote(tier, new AttemptVersion()) && !isLogged;
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
