namespace Faster;

/// <summary>What a <see cref="FasterException"/> is that has no class of its own.</summary>
public enum ErrorReason
{
    /// <summary>The error has a class of its own, which says what it is.</summary>
    None,

    /// <summary>
    /// An operation has waited too long for something inside the store that made no progress. It was not performed;
    /// issue it again. The message says what it waited for.
    /// </summary>
    Stalled,

    /// <summary>
    /// A user function threw where no caller stood, blocked others for too long, or wrote a value of the wrong size; or
    /// one that is needed is missing. The inner exception is its own.
    /// </summary>
    UserFunction,

    /// <summary>
    /// A record is intact, but its bytes cannot be read as the expected type, because the type has changed. The inner
    /// exception is the serializer's.
    /// </summary>
    RecordFormat,

    /// <summary>The state as of a commit can no longer be reconstructed.</summary>
    CommitUnavailable,

    /// <summary>
    /// A commit is blocked by a streaming read of a value larger than a page whose consumer has stopped reading, or by
    /// a unit: several operations under one serial number. It is not thrown: it becomes
    /// <see cref="EngineStatistics.LastFault"/>, and the commit continues when the read or the unit ends.
    /// </summary>
    CommitDelayed,

    /// <summary>
    /// A unit, several operations under one serial number, has failed half-way. Its session takes no more operations,
    /// and the store makes no more commits, which would hold a part of the unit. Close the store and open it again.
    /// </summary>
    UnitFailed,
}
