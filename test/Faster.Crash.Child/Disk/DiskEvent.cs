namespace Faster.Crash.Disk;

/// <summary>What happened on a disk, in the order in which it happened.</summary>
internal enum DiskEventKind
{
    /// <summary>Something was read: nothing changed.</summary>
    Read,

    /// <summary>A new file has got a name.</summary>
    Created,

    /// <summary>An existing file has been emptied.</summary>
    Emptied,

    /// <summary>A write was submitted: from now on any of its sectors may be durable.</summary>
    WriteBegun,

    /// <summary>A write was reported as done: readers see it, and a sync from now on makes it durable.</summary>
    WriteDone,

    /// <summary>What was done in a file is durable.</summary>
    Synced,

    /// <summary>
    /// A sync failed: what was done in the file before it may never become durable, whatever follows.
    /// </summary>
    SyncFailed,

    /// <summary>A file has another name; the file that had this name before has none.</summary>
    Renamed,

    /// <summary>A name is gone.</summary>
    Deleted,

    /// <summary>The names so far are durable.</summary>
    NamesSynced,

    /// <summary>No event of the disk: a note of the test, such as what was acknowledged.</summary>
    Mark,

    /// <summary>The process died before its write was made: it is not made any more.</summary>
    WriteDropped,
}

/// <summary>One event; see <see cref="DiskEventKind"/>. Immutable.</summary>
internal sealed record DiskEvent(DiskEventKind Kind)
{
    /// <summary>The file's number.</summary>
    public int File { get; init; } = -1;

    /// <summary>
    /// The name that was created, removed, or replaced by a renaming; of a sync of names, the prefix of the names.
    /// </summary>
    public string Name { get; init; } = "";

    /// <summary>The name after a renaming.</summary>
    public string NewName { get; init; } = "";

    /// <summary>Where a write begins.</summary>
    public long Offset { get; init; }

    /// <summary>What was written; never changed.</summary>
    public byte[] Bytes { get; init; } = [];

    /// <summary>Which write was begun, done or dropped.</summary>
    public int Write { get; init; } = -1;

    /// <summary>What the test noted.</summary>
    public string Note { get; init; } = "";

    /// <summary>Whether a crash after this event can leave what a crash before it could not.</summary>
    public bool Changes => Kind is not (DiskEventKind.Read or DiskEventKind.WriteDone);

    public override string ToString() => Kind switch
    {
        DiskEventKind.WriteBegun => $"write {Write} of {Bytes.Length} bytes at {Offset} of file {File}",
        DiskEventKind.WriteDone => $"write {Write} done",
        DiskEventKind.WriteDropped => $"write {Write} dropped",
        DiskEventKind.Renamed => $"{Name} renamed to {NewName}",
        DiskEventKind.Mark => $"noted: {Note}",
        _ => $"{Kind} {Name} (file {File})",
    };
}
