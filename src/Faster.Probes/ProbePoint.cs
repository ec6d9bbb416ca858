namespace Faster.Probes;

/// <summary>The accesses to shared memory at which a controlled scheduler may switch threads.</summary>
public enum ProbePoint
{
    /// <summary>An epoch is about to be announced (paper 000 §2.3).</summary>
    EpochAnnounce,

    /// <summary>An epoch is about to be left.</summary>
    EpochLeave,

    /// <summary>The current epoch is about to be incremented.</summary>
    EpochBump,

    /// <summary>The drain list is about to be scanned.</summary>
    EpochDrain,

    /// <summary>A bucket is about to be scanned for a tag (000 §3.2).</summary>
    IndexScan,

    /// <summary>A tentative entry is about to be written.</summary>
    IndexTentative,

    /// <summary>A bucket is about to be scanned again for a duplicate of a tentative entry.</summary>
    IndexRescan,

    /// <summary>A tentative entry is about to become final.</summary>
    IndexFinalize,

    /// <summary>An entry is about to be replaced or removed by compare-and-swap.</summary>
    IndexReplace,

    /// <summary>An overflow bucket is about to be linked.</summary>
    IndexOverflow,

    /// <summary>An overflow bucket is about to be closed or unlinked.</summary>
    IndexTrim,

    /// <summary>The state of an index that is being resized is about to be read (000 App. B).</summary>
    GrowthState,

    /// <summary>A chunk's pin count is about to change.</summary>
    GrowthPin,

    /// <summary>A chunk is about to be split or joined.</summary>
    GrowthSplit,

    /// <summary>The tail is about to be advanced by fetch-and-add (000 App. G, Algorithm 1).</summary>
    TailAdd,

    /// <summary>The tail is about to be moved to a new page.</summary>
    TailTurn,

    /// <summary>A region marker (head, read-only, safe-read-only) is about to be moved or read.</summary>
    RegionMarker,

    /// <summary>A record is about to be updated in place.</summary>
    RecordUpdate,

    /// <summary>A record's latch bit is about to be acquired or released.</summary>
    RecordLatch,

    /// <summary>A new record is about to be linked into its chain.</summary>
    RecordLink,

    /// <summary>A deleted record is about to be spliced out of its chain (000 §4).</summary>
    RecordSplice,

    /// <summary>An algorithm waits for another thread; a scheduler must run another thread.</summary>
    Wait,

    /// <summary>The shared-tags state of a bucket is about to be set or checked.</summary>
    IndexShareTags,

    /// <summary>The tail is about to be padded to a sector boundary.</summary>
    TailPad,

    /// <summary>A phase of a commit is about to be published or read (004 §5.3).</summary>
    CommitPhase,

    /// <summary>A bucket's latch is about to be acquired or released.</summary>
    BucketLatch,

    /// <summary>A record of the read cache is about to be examined (000 App. D).</summary>
    CacheChain,

    /// <summary>A record of the read cache is about to be evicted.</summary>
    CacheEvict,

    /// <summary>The clock is about to be read for a record that expires.</summary>
    Clock,

    /// <summary>A session is about to be closed to calls, or to admit a call.</summary>
    SessionGate,

    /// <summary>Free memory is about to be shared with all sessions, or taken from the shared list.</summary>
    FreeList,

    /// <summary>A ticket of a group sync is about to be taken or checked, or a sync to begin or end.</summary>
    GroupSync,

    /// <summary>Flushed ranges of a persistent region are about to be listed or taken.</summary>
    Fence,

    /// <summary>A word of a ring is about to be read (002 §3.3).</summary>
    RingRead,

    /// <summary>A word of a ring is about to be replaced by compare-and-swap.</summary>
    RingSwap,

    /// <summary>A word of a staged copy of a hash chunk is about to be read or written (003 §6).</summary>
    ChunkStage,

    /// <summary>A stripe's lock is about to be taken or released (001 §3.1).</summary>
    StripeLock,

    /// <summary>Space in an operation log is about to be looked for, or the log to be owned (001 §2.3).</summary>
    LogReserve,

    /// <summary>A record of an operation log is about to be completed or published, or the log to be let go.</summary>
    LogPublish,

    /// <summary>The head of an operation log is about to rise.</summary>
    HeadRaise,

    /// <summary>The lock word of a record or of absent keys is about to be read or released (004 §4).</summary>
    LockWord,

    /// <summary>A record of a table is about to be compared with a key.</summary>
    TableSearch,

    /// <summary>A part of Bullet's back is about to be held or released.</summary>
    BackPart,

    /// <summary>
    /// A word of Bullet's back is about to be read beside a batch, or the lock that tells (001 §2.2).
    /// </summary>
    BackRead,

    /// <summary>A word of Bullet's back is about to be stored.</summary>
    BackWord,
}
