namespace Faster.Probes;

/// <summary>
/// Bugs that tests turn on in the latch-free algorithms to prove that the controlled scheduler finds them.
/// </summary>
public enum SeededBug
{
    /// <summary>Insert by one compare-and-swap into the first free slot: the bug of paper 000, Fig. 3a.</summary>
    InsertWithoutTentative,

    /// <summary>Finalize a tentative entry without scanning the bucket again.</summary>
    InsertWithoutRescan,

    /// <summary>Empty the slot of a dead entry by a plain store instead of a compare-and-swap.</summary>
    DeadWithoutCompare,

    /// <summary>Unlink an empty overflow bucket whose slots may still be taken.</summary>
    BucketSlotsStayOpen,

    /// <summary>Unlink an overflow bucket to which another one may still be linked.</summary>
    BucketEndStaysOpen,

    /// <summary>Take the mark of a closed slot for an insert under way.</summary>
    ClosedSlotIsRival,

    /// <summary>Reuse an unlinked overflow bucket at once, without waiting for the epoch.</summary>
    BucketFreedWithoutEpoch,

    /// <summary>Split a chunk without waiting until its pins are released.</summary>
    SplitIgnoresPins,

    /// <summary>Enter the resizing phase without waiting for the epoch to be safe.</summary>
    ResizeWithoutEpoch,

    /// <summary>Drop the second child of a split chain.</summary>
    SplitDropsSibling,

    /// <summary>Move the tail to the next page by a plain store instead of a compare-and-swap.</summary>
    TurnWithoutCompare,

    /// <summary>Open the next page before its frame is closed.</summary>
    TurnIgnoresClosed,

    /// <summary>Copy a record in the fuzzy region at once: the lost-update anomaly of paper 000, Fig. 6.</summary>
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

    /// <summary>Check for waiting actions before leaving the epoch instead of after.</summary>
    LeaveLooksFirst,

    /// <summary>Bump the epoch without the process-wide barrier; only real threads can expose this.</summary>
    BumpWithoutBarrier,

    /// <summary>Use an entry of a bucket with shared tags while an insert into the bucket is in progress.</summary>
    SharingKeepsTentative,

    /// <summary>Finalize an entry without checking whether its bucket has changed to shared tags meanwhile.</summary>
    InsertIgnoresSharing,

    /// <summary>Let two tags into a bucket with shared tags that has lost all its entries.</summary>
    EmptiedSharedByTag,

    /// <summary>Pad the tail by a plain store instead of a compare-and-swap.</summary>
    PadWithoutCompare,

    /// <summary>Acquire a shared bucket latch although it is held exclusively.</summary>
    SharedIgnoresExclusive,

    /// <summary>Acquire an exclusive bucket latch although operations of the committed version are pending.</summary>
    ExclusiveIgnoresPending,

    /// <summary>Let operations after the commit point update records before it in place.</summary>
    NextUpdatesOld,

    /// <summary>Let hits after the commit point update records before it in place.</summary>
    HitUpdatesOld,

    /// <summary>Write the version with the flags when a latch is released, although it was stamped since.</summary>
    LatchRestoresVersion,

    /// <summary>Let operations before the commit point continue with records after it.</summary>
    CommitReadsNext,

    /// <summary>Treat an epoch as quiet by a check made before it was announced.</summary>
    QuietLooksFirst,

    /// <summary>Advance from one phase to the next without waiting for the epoch.</summary>
    PhaseWithoutEpoch,

    /// <summary>Change to the rest phase while other sessions still copy records of the committed version.</summary>
    RestWithoutResume,

    /// <summary>Take a session's commit point from its serial number although the session has recorded one.</summary>
    PointIgnoresNote,

    /// <summary>Copy a record that was read from disk to the read cache without a check that it is newest.</summary>
    FillWithoutProof,

    /// <summary>Evict records of the read cache although hash chains still lead to them.</summary>
    EvictWithoutRelink,

    /// <summary>Point an entry past an evicted record by a plain store instead of a compare-and-swap.</summary>
    RelinkWithoutCompare,

    /// <summary>Link a new record behind the cached records of its hash chain instead of in their place.</summary>
    WriteKeepsCached,

    /// <summary>Treat a copy in the read cache as a record newer than the one that compaction would keep.</summary>
    CompactionTrustsCached,

    /// <summary>Read a copy in the read cache although the record that it copies has been truncated.</summary>
    CachedIgnoresBegin,

    /// <summary>Treat an entry that leads to the read cache as one that leads below the log's begin address.</summary>
    RemovalIgnoresCached,

    /// <summary>Give the cached copies in front of a chain that is split to one of the two resulting chains.</summary>
    SplitKeepsCached,

    /// <summary>Treat the cached copies in front of one of two joined chains as copies of both chains.</summary>
    JoinKeepsCached,

    /// <summary>Update a copy of the read cache after the commit point without the exclusive bucket latch.</summary>
    CachedWithoutBucket,

    /// <summary>Drop one of two chains that are joined.</summary>
    JoinDropsSide,

    /// <summary>Let operations into a chunk whose join is incomplete.</summary>
    InterruptedIsFree,

    /// <summary>Join chains by their tags although one of the bucket chains has shared tags.</summary>
    JoinIgnoresSharing,

    /// <summary>Copy a delta that cannot be updated in place, and so count it twice.</summary>
    DeltaCopied,

    /// <summary>Let an upsert overwrite a delta in place, which is then merged with older ones.</summary>
    UpsertKeepsDelta,

    /// <summary>Let a deleted delta be revived as a delta after its key was deleted.</summary>
    DeletionKeepsDelta,

    /// <summary>Treat a value as a delta by an earlier read of its header.</summary>
    DeltaWithoutLatch,

    /// <summary>Merge deltas that may still be updated with newer ones.</summary>
    ReconcileInFuzzyRegion,

    /// <summary>Link a copy made by compaction in front of any record that has been linked meanwhile.</summary>
    CopyWithoutRecheck,

    /// <summary>Raise the log's begin past copied records while operations may still look for the old ones.</summary>
    BeginWithoutEpoch,

    /// <summary>Let a commit record the log's begin address as of after its commit point.</summary>
    BeginAfterShift,

    /// <summary>Link a record to fragments that are being truncated.</summary>
    HeadIgnoresFloor,

    /// <summary>Copy the fragments of a record that may still be deleted in place.</summary>
    StraddlerNotImmutable,

    /// <summary>Take a value on disk for absent because its fragments were truncated since the search began.</summary>
    FragmentsGoneIsAbsent,

    /// <summary>Pin fragments without checking that they still exist.</summary>
    PinWithoutLook,

    /// <summary>Trust the sealed bit of a record that an earlier process wrote.</summary>
    TrustForeignMarks,

    /// <summary>Take the record that a chain leads to for one of the key that a compaction looks up.</summary>
    LookupTrustsChain,

    /// <summary>Collapse a key's deltas while the newest one is updated in place.</summary>
    CollapseWithoutSeal,

    /// <summary>Collapse deltas although a session that found the newest one unsealed may still update it.</summary>
    CollapseWithoutEpoch,

    /// <summary>Treat a record as expired by a time that was read after the record was found.</summary>
    DeadByLaterClock,

    /// <summary>Make a new value from a record that may have expired before the new record was linked.</summary>
    CopyOutlivesRecord,

    /// <summary>Treat a record that may still be updated as expired without holding its latch.</summary>
    ReadExpiringWithoutLatch,

    /// <summary>Remove a record that had expired before it was latched, without checking again.</summary>
    SweepWithoutSecondLook,

    /// <summary>Read a record without its latch while another session holds it.</summary>
    ReadExpiringWhileLatched,

    /// <summary>Read a record's value without its latch before its expiry.</summary>
    ReadValueBeforeExpiry,

    /// <summary>Renew the expiry of an expired record before writing its new value.</summary>
    RenewBeforeWrite,

    /// <summary>Write a value that has expired from the start in place over one that may be live.</summary>
    PastInPlace,

    /// <summary>Change an expiry in place to one of another kind while sessions update without the latch.</summary>
    MixesInPlace,

    /// <summary>Replace a live record by a copy that expires while sessions update it without the latch.</summary>
    ReplacesUnlatched,

    /// <summary>Update a record that expires without the latch though its expiry would have to change.</summary>
    UnlatchedKeepsExpiry,

    /// <summary>Copy a record that expires to the read cache as one that never expires.</summary>
    CachedForgetsExpiry,

    /// <summary>Trust the seal of a delta that was cleared and set again after its value had been collected.</summary>
    ClaimOfLaterSeal,

    /// <summary>Return a seal that no session clears any more.</summary>
    ReturnedSealIsNobodys,

    /// <summary>Read a delta that is only temporarily sealed as if it could not change.</summary>
    HeldDeltaWithoutLatch,

    /// <summary>Let a whole record made from a value that has expired meanwhile keep that value permanently.</summary>
    CollapseOutlivesRecord,

    /// <summary>Start an increment where the log is flushed to, which may be inside a record.</summary>
    IncrementWithinRecord,

    /// <summary>Treat what a session did after its commit point as committed once the session has ended.</summary>
    EndedIsCommitted,

    /// <summary>Lose the excluded serial numbers of the commit during recovery.</summary>
    RecoveryForgetsExcluded,

    /// <summary>Fail to notify a session of its commit point if it ended during the commit and was continued.</summary>
    WentOnUntold,

    /// <summary>Treat a session as idle by a check made before it was closed to calls.</summary>
    ClaimLooksFirst,

    /// <summary>Use the slot of a session that was taken from another thread, which may still announce in it.</summary>
    TakenKeepsSlot,

    /// <summary>Take an ended session by what its slot says, which another session has now.</summary>
    TakesGivenSlot,

    /// <summary>Use memory that another session has freed without waiting for the epoch.</summary>
    SharedWithoutEpoch,

    /// <summary>Access a session's free memory while another session has claimed it.</summary>
    EntersClosedLists,

    /// <summary>Claim a session's free memory while it accesses it.</summary>
    ClaimsEnteredLists,

    /// <summary>Start the next version while a unit is open.</summary>
    UnitsNotAwaited,

    /// <summary>Commit although a unit has failed of which the commit holds a part.</summary>
    FailedUnitIsCommitted,

    /// <summary>Make a unit's number the session's last before the session notes its point.</summary>
    UnitNumberedEarly,

    /// <summary>Let the log's begin rise while operations of the version being committed are in progress.</summary>
    BeginRisesBesideCommit,

    /// <summary>Change to the rest phase after a fold-over whose version may still be updated in place.</summary>
    FoldOverNotImmutable,

    /// <summary>Leave the I/O thread asleep when a read begins that a commit waits for.</summary>
    ReadWakesNobody,

    /// <summary>Acknowledge the tickets of a group sync when it begins.</summary>
    TicketBeforeSync,

    /// <summary>Let a ticket that is taken while a group sync runs be covered by this sync.</summary>
    TicketJoinsRunningSync,

    /// <summary>Retry a failed group sync, which succeeds without what the kernel has dropped.</summary>
    FailedSyncIsRetried,

    /// <summary>Leave one of several flushed ranges out of a fence.</summary>
    FenceForgetsRange,

    /// <summary>Let a fence that finds no flushed range return before the fence that has taken them.</summary>
    EmptyFenceOvertakes,

    /// <summary>Replace an item of a ring without occupying it: the paper 002, Fig. 8a and 8b.</summary>
    UpdateWithoutOccupied,

    /// <summary>Delete an item of a ring without occupying it: the paper 002, Fig. 8c.</summary>
    DeletionWithoutOccupied,

    /// <summary>Unlink an item of a ring although the head points to it.</summary>
    UnlinkIgnoresHead,

    /// <summary>Unlink an item of a ring although another session is about to move the head to it.</summary>
    UnlinkKeepsMovement,

    /// <summary>Move the head of a ring to an item that is occupied.</summary>
    MoveIgnoresOccupied,

    /// <summary>Count the access of an item that is replaced at the item itself instead of the one before it.</summary>
    UpdateCountsItem,

    /// <summary>Part rings while operations that began at the old heads are under way.</summary>
    SplitRingsAtOnce,

    /// <summary>Move the head of a ring away from the rehash item at which it begins while it is split.</summary>
    MoveLeavesRehashItem,

    /// <summary>Split the next rings by the rehash items of the last ones without waiting for the epoch.</summary>
    RehashItemsReusedAtOnce,

    /// <summary>Let the next rehash begin before the last one has given its memory back.</summary>
    RehashEndsEarly,

    /// <summary>Scan no epoch slots above one that is released, although they are held.</summary>
    SlotsForgetHeld,

    /// <summary>Update a value of the tier below although the tier above was truncated since it was read.</summary>
    UpdateIgnoresTruncation,

    /// <summary>Move a record to the tier below without a search for a newer one of its key.</summary>
    MoveWithoutSearch,

    /// <summary>Drop a record of the tier below because the tier above has the record that it is a copy of.</summary>
    DropIgnoresCopies,

    /// <summary>Search the tier below because the tier above had no record of the key some time ago.</summary>
    OldAbsenceLeadsBelow,

    /// <summary>Copy a cold record to the read cache after a hot walk of some time ago.</summary>
    OldAbsenceIsCached,

    /// <summary>Take a key for absent whose record was read from disk and has moved to the tier below since.</summary>
    MovedSinceReadIsAbsent,

    /// <summary>Drop a tombstone that leaves its tier, although the tier below may hold its key.</summary>
    TombstoneStaysAbove,

    /// <summary>Keep a copy of a value from below although the tier above was truncated since it was read.</summary>
    CopyIgnoresTruncation,

    /// <summary>Take a key for absent when a walk on disk comes to what was truncated meanwhile.</summary>
    TruncatedIsAbsent,

    /// <summary>Link a copy of a hash chunk in place of any record, not only of the one it was made from.</summary>
    ChunkLinkedWithoutCompare,

    /// <summary>Copy a hash chunk that other sessions may still change in place.</summary>
    ChunkCopiedInFuzzyRegion,

    /// <summary>Write a copy of a hash chunk into a set that another thread may be writing.</summary>
    StageWrittenWithoutClaim,

    /// <summary>Copy a hash chunk before it leaves memory while threads may still change it in place.</summary>
    ChunkStagedWhileItChanges,

    /// <summary>A scan of a ring goes on from an item that is occupied as from any other.</summary>
    ScanIgnoresOccupied,

    /// <summary>Move records to the tier below while a commit captures it.</summary>
    CopyBesideCapture,

    /// <summary>Let a scan of two tiers take the end of the log below before it pins the one above.</summary>
    ScanEndsBelowFirst,

    /// <summary>Let a scan as of a commit read the log below up to its present end, not that of the commit.</summary>
    CommitScanPassesEnd,

    /// <summary>Return copies of records of the tier above in the history of a key.</summary>
    HistoryHasCopies,

    /// <summary>Keep both chains for the history of a key although a log was truncated meanwhile.</summary>
    HistoryIgnoresTruncation,

    /// <summary>Take a value for absent whose fragments were truncated since it has moved to the tier below.</summary>
    MovedValueIsAbsent,

    /// <summary>
    /// Move a record that was deleted or has expired, and whose value begins in the compacted part, without a search
    /// for a newer one of its key.
    /// </summary>
    DeadHeadMovesWithoutSearch,

    /// <summary>Let a subscription start where the log is when its enumeration begins, not when it is made.</summary>
    SubscriptionStartsLate,

    /// <summary>Let a subscription go on behind a truncated part without telling its subscriber.</summary>
    GapNotReported,

    /// <summary>Merge deltas with what the tier below has, although it may have been made from them.</summary>
    MergedReadIgnoresMoves,

    /// <summary>Take the end of a chain of deltas for the end of its key's value.</summary>
    DeltasEndAtBegin,

    /// <summary>Move deltas to the tier below.</summary>
    DeltaMoves,

    /// <summary>Leave a whole record where it is because deltas are in front of it, and truncate it.</summary>
    DeltaHidesBase,

    /// <summary>Capture the tier below only when operations of the next version are under way.</summary>
    LowerTierCapturedLate,

    /// <summary>Link a record, in space that was taken before, in front of one that lies above it.</summary>
    LinkAboveSpace,

    /// <summary>Use space at the tail in a later epoch than that in which a session has taken it.</summary>
    SpaceOutlivesEpoch,

    /// <summary>Link without the bucket's latch while operations of the version before may be at the bucket.</summary>
    LinkIgnoresLatches,

    /// <summary>Let an attempt go on without the lock of its key's stripe, which another one holds.</summary>
    StripeNotLocked,

    /// <summary>Put an updated value into its record before it is published in an operation log.</summary>
    InstalledBeforePublished,

    /// <summary>Reuse the space of an operation log that a kept commit needs.</summary>
    SpaceBeforeHead,

    /// <summary>Move the tail of an operation log before the record has its checksum.</summary>
    PublishBeforeSeal,

    /// <summary>Let a fence pass over all operation logs but the first.</summary>
    FenceForgetsLog,

    /// <summary>Let the checksum of a record not depend on the lap in which it was written.</summary>
    ChecksumIgnoresLap,

    /// <summary>Take a record of an operation log whatever was before it when it was written.</summary>
    PredecessorIgnored,

    /// <summary>Let a second thread own an operation log.</summary>
    OwnerNotAlone,

    /// <summary>Let a change that follows another one go to another operation log, whether or not that is durable.
    /// </summary>
    PredecessorInAnotherLog,

    /// <summary>Wait for the ticket that was taken for the operation before, where each operation is durable.</summary>
    TicketBeforePublished,

    /// <summary>Let a record not say that operations before it may be lost.</summary>
    OpenNumbersForgotten,

    /// <summary>Add to a delta in place where each operation is durable, and publish the sum.</summary>
    DeltaAddedInPlace,

    /// <summary>Publish nothing of a published change that was not installed.</summary>
    CancelForgotten,

    /// <summary>Free the operation logs up to the marks of the newest commit, not of the one that is kept before it.
    /// </summary>
    OlderMarksFreed,

    /// <summary>Begin a life at the version after the commit's, whatever the versions in the operation logs.</summary>
    VersionsReturn,

    /// <summary>Carry out again what the commit holds.</summary>
    ReplaysCommitted,

    /// <summary>Take a unit for whole when its last record is there.</summary>
    UnitCountIgnored,

    /// <summary>Take a record of a table out without its header's latch.</summary>
    TakenOutUnlatched,

    /// <summary>Insert or miss a key in a transaction without the lock of absent keys.</summary>
    AbsenceNotLocked,

    /// <summary>Keep what was captured of a record that another one has stamped meanwhile.</summary>
    CapturedTwice,

    /// <summary>Change a record in the next version without capturing it.</summary>
    NotCaptured,

    /// <summary>Write a commit's record over the newest one.</summary>
    SlotOfNewest,

    /// <summary>Acknowledge a commit before its record is synced.</summary>
    SlotNotSynced,

    /// <summary>Write a commit's record once.</summary>
    RecordOnce,

    /// <summary>Capture a record in a sweep whose lock word has changed meanwhile.</summary>
    SweptWhileChanged,

    /// <summary>Let an attempt of the version being committed use what the next one has stamped.</summary>
    PrepareAcceptsNext,

    /// <summary>Leave what attempts of the next version only read without its stamp.</summary>
    ReadsNotStamped,

    /// <summary>Take the version that a session saw before its locks, not that of its place in a commit log.</summary>
    VersionReadApart,

    /// <summary>Leave the absence of keys that the next version has read or deleted without its stamp.</summary>
    AbsenceNotStamped,

    /// <summary>Let a transaction not lock what it only reads.</summary>
    ReadsNotLocked,

    /// <summary>Check each value that was read without a lock when it is copied, not all of them together.</summary>
    CopiesCheckedApart,

    /// <summary>Install what a transaction has written when its locks are released.</summary>
    InstalledAfterRelease,

    /// <summary>Publish a transaction in the redo log when its locks are released.</summary>
    AppendAfterRelease,

    /// <summary>Let a transaction that has changed nothing, where each is durable, leave no number in the redo log.
    /// </summary>
    NumberNotLogged,

    /// <summary>Acknowledge what may have been built on a unit that is not complete.</summary>
    OpenUnitNotAwaited,

    /// <summary>Give a transaction that ends as conflicted a serial number.</summary>
    ConflictTakesNumber,

    /// <summary>Store the words of a batch of Bullet's back before its redo is durable.</summary>
    WordsBeforeRedo,

    /// <summary>Write over the redo of a batch of Bullet's back before its words are durable.</summary>
    RedoReusedEarly,

    /// <summary>Store the words of an older batch of Bullet's back once more after those of a newer one.</summary>
    OlderRedoReplayed,

    /// <summary>Leave the blocks that a batch of Bullet's back has written out of the checksum of its redo.</summary>
    RedoWithoutBlocks,

    /// <summary>Finish a batch of Bullet's back that a killed process has left, whether or not it is durable.</summary>
    RecoveryTrustsCache,

    /// <summary>Let a batch of Bullet's back use a block that it has freed itself.</summary>
    FreedInBatchReused,

    /// <summary>Return what a reader of Bullet's back has copied while a batch stored its words.</summary>
    ReadOfTwoStates,
}
