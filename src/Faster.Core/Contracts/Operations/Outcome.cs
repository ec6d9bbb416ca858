namespace Faster.Contracts;

/// <summary>
/// How one attempt at an operation ended. The first three are final, and equal to <see cref="Status"/>.
/// </summary>
internal enum Outcome
{
    /// <summary>Done.</summary>
    Ok = 0,

    /// <summary>Done: a read-modify-write has made the first value of the key, or of its new life.</summary>
    Created = 1,

    /// <summary>Done: the key does not exist.</summary>
    NotFound = 2,

    /// <summary>The chain continues at the attempt's <c>Wanted</c>, which is on disk.</summary>
    OnDisk = 3,

    /// <summary>A latch is held, or a race was lost: leave the epoch and try again.</summary>
    Retry = 4,

    /// <summary>The index is being resized, and the bucket's chunk can't be used yet.</summary>
    IndexResizing = 5,

    /// <summary>No page frame is free: wait for space.</summary>
    AllocationFailed = 6,

    /// <summary>The operation has met a record of the next version: pass the commit point and try again.</summary>
    CprShift = 7,

    /// <summary>Operations of the version being committed hold the latch of the key's bucket.</summary>
    BucketLatched = 8,

    /// <summary>The operation is pending now.</summary>
    Suspended = 9,

    /// <summary>
    /// The record lies in the fuzzy region, where other sessions may still update it: try again when the marker has
    /// moved.
    /// </summary>
    Fuzzy = 10,

    /// <summary>The value lies in fragments that must be gathered: the attempt's <c>Large.Wanted</c>.</summary>
    Large = 11,

    /// <summary>The new value does not fit a page: the attempt's <c>Large.Prepared</c> must be written first.</summary>
    Oversized = 12,

    /// <summary>The record has expired since the search for it began, or just before: search again.</summary>
    Expired = 13,

    /// <summary>
    /// The entry of the key's hash lies in a record on disk: <see cref="Index.Entries.ITierIndex.ReadEntry"/> must read
    /// it first.
    /// </summary>
    EntryOnDisk = 14,

    /// <summary>
    /// The tier below has the key's value, or the whole value below its deltas: the chain has come to Begin, or the log
    /// has been truncated above a part of the value, which had moved before. Search there.
    /// </summary>
    Below = 15,

    /// <summary>Other threads own every operation log with space: leave the epoch and try again.</summary>
    LogsBusy = 16,

    /// <summary>The operation logs are full: wait for a commit, which frees them.</summary>
    LogsFull = 17,

    /// <summary>What commits capture has no space: leave the epoch, and wait for the commit to write it.</summary>
    CapturesFull = 18,
}
