namespace Faster.Analytics.Scans;

/// <summary>The commits of a store in memory whose states can be scanned. Thread-safe.</summary>
internal interface ICommittedScans
{
    /// <summary>The commits, oldest first.</summary>
    IReadOnlyList<Commit> Commits { get; }

    /// <summary>Opens the records of a commit, which stay readable until the result is disposed of.</summary>
    /// <exception cref="FasterException">The commit can't be scanned any more.</exception>
    /// <exception cref="DamagedDataException">What it has captured is damaged.</exception>
    /// <exception cref="StorageException">It can't be read.</exception>
    ICommittedRecords Open(Commit commit);
}

/// <summary>The records of a commit, as they are read. Not thread-safe.</summary>
internal interface ICommittedRecords : IDisposable
{
    /// <summary>Reads some records.</summary>
    /// <param name="copies">Receives them, instead of what it had.</param>
    /// <returns>False at the end.</returns>
    /// <exception cref="DamagedDataException">They are damaged.</exception>
    /// <exception cref="StorageException">They can't be read.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    bool TryRead(RecordCopies copies);
}
