using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// Bugs that tests sow into the latch-free protocols to prove that the controlled scheduler finds them.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum SeededBug
{
    /// <summary>
    /// Insert by one compare-and-swap into the first free slot: the insert bug of paper 000, Fig. 3a.
    /// </summary>
    InsertWithoutTentative,

    /// <summary>Finalize a tentative entry without scanning the bucket again.</summary>
    InsertWithoutRescan,

    /// <summary>Split a chunk without waiting for its pins to go.</summary>
    SplitIgnoresPins,

    /// <summary>Enter the resizing phase without waiting for the epoch to be safe.</summary>
    ResizeWithoutEpoch,

    /// <summary>Drop the second child of a split chain.</summary>
    SplitDropsSibling,

    /// <summary>Turn the page by a plain store instead of a compare-and-swap.</summary>
    TurnWithoutCompare,

    /// <summary>Open the next page before its frame is closed.</summary>
    TurnIgnoresClosed,

    /// <summary>Copy a record in the fuzzy region at once: the lost-update anomaly of Fig. 6.</summary>
    CopyInFuzzyRegion,

    /// <summary>Move the safe-read-only address at once, without waiting for the epoch.</summary>
    SafeReadOnlyWithoutEpoch,

    /// <summary>Recycle a frame when the head moves, without waiting for the epoch.</summary>
    EvictWithoutEpoch,

    /// <summary>Update a record in place without its latch.</summary>
    UpdateWithoutLatch,

    /// <summary>Free a spliced record at once, without waiting for the epoch.</summary>
    FreeWithoutEpoch,

    /// <summary>Splice a record without sealing it first.</summary>
    SpliceWithoutSeal,

    /// <summary>Run an action of the drain list without claiming it first.</summary>
    DrainWithoutClaim,

    /// <summary>Look whether an action waits before leaving the epoch instead of after.</summary>
    LeaveLooksFirst,

    /// <summary>Bump the epoch without the process-wide barrier; only real threads can show it.</summary>
    BumpWithoutBarrier,

    /// <summary>Share an entry of a frozen bucket while an insert is under way in it.</summary>
    FreezeKeepsTentative,

    /// <summary>Finalize an entry without looking whether its bucket has been frozen meanwhile.</summary>
    InsertIgnoresFreeze,

    /// <summary>Let two tags into a frozen bucket that has lost all its entries.</summary>
    EmptiedFrozenByTag,

    /// <summary>Pad the tail by a plain store instead of a compare-and-swap.</summary>
    PadWithoutCompare,

    /// <summary>Take a shared bucket latch although it is held exclusively.</summary>
    SharedIgnoresExclusive,

    /// <summary>
    /// Take an exclusive bucket latch although operations of the version being committed are pending.
    /// </summary>
    ExclusiveIgnoresPending,

    /// <summary>Let operations after the commit point update records before it in place.</summary>
    NextUpdatesOld,

    /// <summary>Let operations before the commit point go on with records after it.</summary>
    CommitReadsNext,

    /// <summary>Take an epoch for quiet by a look from before it was announced.</summary>
    QuietLooksFirst,

    /// <summary>Pass from one phase to the next without waiting for the epoch.</summary>
    PhaseWithoutEpoch,

    /// <summary>Go to rest while others still copy records of the version that was committed.</summary>
    RestWithoutResume,

    /// <summary>Take the commit point of a session from its serial number although it has noted its own.</summary>
    PointIgnoresNote,

    /// <summary>Copy a record that was read from disk to the read cache without looking whether it is the newest.
    /// </summary>
    FillWithoutProof,

    /// <summary>Evict records of the read cache although chains still lead to them.</summary>
    EvictWithoutRelink,

    /// <summary>Point an entry past an evicted record by a plain store instead of a compare-and-swap.</summary>
    RelinkWithoutCompare,

    /// <summary>Link a new record behind the cached records of its chain instead of in their place.</summary>
    WriteKeepsCached,

    /// <summary>Take a copy in the read cache for a record that is newer than the one which compaction would keep.
    /// </summary>
    CompactionTrustsCached,

    /// <summary>Read a copy in the read cache although the record that it stands for has been truncated.</summary>
    CachedIgnoresBegin,

    /// <summary>Take an entry that leads to the read cache for one that leads below the log's begin.</summary>
    RemovalIgnoresCached,

    /// <summary>Give the copies in front of a chain that is split to one of its halves.</summary>
    SplitKeepsCached,

    /// <summary>Take the copies in front of one of two chains that are merged for both chains.</summary>
    MergeKeepsCached,

    /// <summary>Update a copy of the read cache after the commit point without the exclusive bucket latch.</summary>
    CachedWithoutBucket,

    /// <summary>Drop one of two chains that are merged.</summary>
    MergeDropsSide,

    /// <summary>Let operations into a chunk that has been merged in part.</summary>
    InterruptedIsFree,

    /// <summary>Merge chains by their tags although one of them is frozen.</summary>
    MergeIgnoresFrozen,

    /// <summary>Copy a partial record that can't be updated in place, and so count it twice.</summary>
    DeltaCopied,

    /// <summary>Let an upsert overwrite a partial record in place, which is then merged with older ones.</summary>
    UpsertKeepsDelta,

    /// <summary>Let a record that was partial come back to life as partial after its key was deleted.</summary>
    DeletionKeepsDelta,

    /// <summary>Take a value for partial by a look at its header from before.</summary>
    PartialWithoutLatch,

    /// <summary>Merge partial values that may still be changed with newer ones.</summary>
    ReconcileInFuzzyRegion,

    /// <summary>Link a copy that compaction makes in front of whatever has been linked meanwhile.</summary>
    CopyWithoutRecheck,

    /// <summary>Raise the log's begin past copied records while some may still look for the old ones.</summary>
    BeginWithoutEpoch,

    /// <summary>Let a commit have the log's begin from after its commit point.</summary>
    BeginAfterShift,

    /// <summary>Link a record to chunks that are being given up.</summary>
    HeadIgnoresFloor,

    /// <summary>Copy the chunks of a record that may still be deleted where it lies.</summary>
    StraddlerNotFrozen,

    /// <summary>
    /// Take a value found on disk for absent because its chunks have been given up since it was looked for.
    /// </summary>
    ChunksGoneIsAbsent,

    /// <summary>Pin chunks without looking whether they are still there.</summary>
    PinWithoutLook,

    /// <summary>Believe the mark of a superseded record that an earlier process has written.</summary>
    TrustForeignMarks,

    /// <summary>Collapse a key's partial values while the newest of them is updated in place.</summary>
    CollapseWithoutSeal,

    /// <summary>Collapse a key's partial values although some may still update the newest, which they found unsealed.
    /// </summary>
    CollapseWithoutEpoch,

    /// <summary>Take a record for dead by a time that was read after it was found.</summary>
    DeadByLaterClock,

    /// <summary>Make a new value of a record that may have expired before the new one was linked.</summary>
    CopyOutlivesRecord,

    /// <summary>Take a record that may be updated for dead without its latch.</summary>
    ReadExpiringWithoutLatch,

    /// <summary>Take a record out that was dead before it was latched, without another look.</summary>
    SweepWithoutSecondLook,

    /// <summary>Read a record without its latch while somebody else has it.</summary>
    ReadExpiringWhileLatched,

    /// <summary>Read a record's value without its latch before its expiry.</summary>
    ReadValueBeforeExpiry,

    /// <summary>Give a dead record a time to live before its new value.</summary>
    RenewBeforeWrite,

    /// <summary>Write a value that is dead from the beginning in the place of one that may be alive.</summary>
    PastInPlace,

    /// <summary>Copy a record that expires to the read cache as one that never does.</summary>
    CachedForgetsExpiry,

    /// <summary>
    /// Believe the seal of a partial record that was lifted and set again after its value had been collected.
    /// </summary>
    ClaimOfLaterSeal,

    /// <summary>Give back a seal that nobody lifts any more.</summary>
    ReturnedSealIsNobodys,

    /// <summary>Read a partial record that is only sealed for a while as if it could not change.</summary>
    SealedPartWithoutLatch,

    /// <summary>Let a whole record that was made with a value which has expired meanwhile hold it for ever.</summary>
    CollapseOutlivesRecord,

    /// <summary>Begin an increment where the log is flushed to, which may be within a record.</summary>
    IncrementWithinRecord,

    /// <summary>Take what a session did after its commit point for committed when it has ended.</summary>
    EndedIsCommitted,

    /// <summary>Forget at a recovery which numbers the commit had left out.</summary>
    RecoveryForgetsLeftOut,

    /// <summary>Do not tell a commit's point to a session that ended during the commit and went on.</summary>
    WentOnUntold,

    /// <summary>Take a session for idle by a look from before it was shut.</summary>
    ClaimLooksFirst,

    /// <summary>Use memory that another session has freed without waiting for the epoch.</summary>
    SharedWithoutEpoch,

    /// <summary>Begin the next version while a batch under one number is under way.</summary>
    UnitsNotAwaited,

    /// <summary>Let the log's begin rise while operations of the version that is committed are under way.</summary>
    BeginRisesBesideCommit,

    /// <summary>Go to rest after a fold-over whose version may still be updated in place.</summary>
    FoldOverNotFrozen,

    /// <summary>Leave the I/O thread asleep when a read begins that a commit waits for.</summary>
    ReadWakesNobody,
}
