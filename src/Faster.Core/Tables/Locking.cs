namespace Faster.Tables;

/// <summary>Specifies what became of an attempt to take a lock.</summary>
internal enum Locking
{
    /// <summary>The caller has the lock.</summary>
    Taken,

    /// <summary>Others have it.</summary>
    Refused,

    /// <summary>The record was taken out of its chain: the caller looks for its key again.</summary>
    Gone,
}
