namespace Faster.Contracts;

/// <summary>
/// Bugs that tests sow into the latch-free protocols to prove that the controlled scheduler finds them.
/// </summary>
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
}
