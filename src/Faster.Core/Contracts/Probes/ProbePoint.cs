using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>The steps of shared memory at which a controlled scheduler may switch threads.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
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

    /// <summary>A bucket is about to be scanned for a tag (§3.2).</summary>
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

    /// <summary>The state of an index that is resized is about to be read (App. B).</summary>
    GrowthState,

    /// <summary>A chunk's pin count is about to change.</summary>
    GrowthPin,

    /// <summary>A chunk is about to be split, or merged.</summary>
    GrowthSplit,

    /// <summary>The tail is about to be advanced by fetch-and-add (App. G, Algorithm 1).</summary>
    TailAdd,

    /// <summary>The tail is about to be turned to a new page.</summary>
    TailTurn,

    /// <summary>A region marker (head, read-only, safe-read-only) is about to be moved or read.</summary>
    RegionMarker,

    /// <summary>A record is about to be updated in place.</summary>
    RecordUpdate,

    /// <summary>A record's latch bit is about to be taken or given back.</summary>
    RecordLatch,

    /// <summary>A new record is about to be linked into its chain.</summary>
    RecordLink,

    /// <summary>A deleted record is about to be spliced out of its chain (§4).</summary>
    RecordSplice,

    /// <summary>A protocol waits for another thread; a scheduler must run another thread.</summary>
    Wait,

    /// <summary>A bucket is about to be frozen, or looked at whether it is.</summary>
    IndexFreeze,

    /// <summary>The tail is about to be padded to a boundary of sectors.</summary>
    TailPad,

    /// <summary>A phase of a commit is about to be published, or read (paper 004 §5.3).</summary>
    CommitPhase,

    /// <summary>A bucket's latch is about to be taken or given back.</summary>
    BucketLatch,

    /// <summary>A record of the read cache is about to be looked at (App. D).</summary>
    CacheChain,

    /// <summary>A record of the read cache is about to be evicted.</summary>
    CacheEvict,

    /// <summary>The time is about to be read, for a record that expires.</summary>
    Clock,

    /// <summary>A session is about to be shut, or a call of it to be let in.</summary>
    SessionGate,

    /// <summary>Free memory is about to be passed on to all sessions, or taken from what others have.</summary>
    FreeList,
}
