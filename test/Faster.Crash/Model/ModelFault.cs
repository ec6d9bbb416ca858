namespace Faster.Crash.Model;

/// <summary>What is wrong with a model store: each must be found by the laboratory, or it is blind to it.</summary>
internal enum ModelFault
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>The content of a commit is not synced before it gets its name.</summary>
    ContentNotSynced,

    /// <summary>The name of a commit is not synced.</summary>
    NameNotSynced,

    /// <summary>A commit is acknowledged before it is written.</summary>
    AcknowledgedEarly,

    /// <summary>The state of a commit holds an operation after one session's point.</summary>
    OneTooMany,

    /// <summary>The state of a commit lacks one operation below the points.</summary>
    Hole,

    /// <summary>A point is one too high.</summary>
    PointTooHigh,

    /// <summary>The commit before is deleted before the new one's name is durable.</summary>
    OldDeletedEarly,

    /// <summary>The last commit is written anew over itself when it is recovered.</summary>
    RecoveryOverwrites,

    /// <summary>The names that an earlier process has left are trusted without a sync.</summary>
    FoundNamesNotSynced,

    /// <summary>A failed sync is tried again, and taken for good when it succeeds.</summary>
    SyncRetried,
}
