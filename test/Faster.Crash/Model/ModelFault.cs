namespace Faster.Crash.Model;

/// <summary>A fault of a model store. The laboratory must find each.</summary>
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

    /// <summary>Recovery overwrites the last commit with itself.</summary>
    RecoveryOverwrites,

    /// <summary>The names that an earlier process has left are trusted without a sync.</summary>
    FoundNamesNotSynced,

    /// <summary>A failed sync is retried, and trusted when it succeeds.</summary>
    SyncRetried,
}
