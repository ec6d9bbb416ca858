namespace Faster;

/// <summary>How one attempt at an operation ended. The first two are final and equal to <see cref="Status"/>.</summary>
internal enum Outcome
{
    /// <summary>Done.</summary>
    Ok = 0,

    /// <summary>Done: the key does not exist.</summary>
    NotFound = 1,

    /// <summary>The chain goes on at <c>Wanted</c>, which is on disk.</summary>
    OnDisk = 2,

    /// <summary>A latch, a lost race or the fuzzy region: leave the epoch and try again.</summary>
    Retry = 3,

    /// <summary>The index is resized, and the bucket's chunk can't be used just now.</summary>
    Growing = 4,

    /// <summary>There is no free page frame.</summary>
    NoRoom = 5,

    /// <summary>The operation has met the version after its commit: pass the commit point and try again.</summary>
    Shift = 6,

    /// <summary>Operations before the commit point hold the key's bucket.</summary>
    Latched = 7,

    /// <summary>The operation is pending now.</summary>
    Suspended = 8,

    /// <summary>
    /// The record lies in the fuzzy region, where others may still be updating it: try again when the marker has moved.
    /// </summary>
    Fuzzy = 9,

    /// <summary>The value lies in chunks, which are to be gathered: the attempt's <c>WantedHead</c>.</summary>
    Large = 10,

    /// <summary>The new value does not fit a page: the attempt's <c>Prepared</c> is to be written first.</summary>
    Oversized = 11,

    /// <summary>The record has died since the search for it began, or just before: search again.</summary>
    Expired = 12,
}
