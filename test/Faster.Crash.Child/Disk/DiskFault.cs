namespace Faster.Crash.Disk;

/// <summary>The calls that a disk can fail on request.</summary>
public enum DiskCall
{
    /// <summary>A read of the log or of a file.</summary>
    Read,

    /// <summary>A write of the log or of a file.</summary>
    Write,

    /// <summary>A sync of the log or of a file.</summary>
    Sync,

    /// <summary>A sync of names.</summary>
    SyncNames,

    /// <summary>A file is made.</summary>
    Create,

    /// <summary>A file is renamed.</summary>
    Rename,

    /// <summary>A file is deleted.</summary>
    Delete,
}

/// <summary>A call that fails: the n-th of its kind since the fault was armed, once or with all later ones.</summary>
/// <param name="Call">Which kind.</param>
/// <param name="Nth">Counted from 1.</param>
/// <param name="ForEver">Whether every later call fails, too.</param>
/// <param name="NoSpace">Whether it says that the disk is full, rather than that it is broken.</param>
internal sealed record DiskFault(DiskCall Call, long Nth, bool ForEver = false, bool NoSpace = false)
{
    /// <summary>Whether it strikes a call.</summary>
    public bool Strikes(DiskCall call, long n) => call == Call && (ForEver ? n >= Nth : n == Nth);
}
