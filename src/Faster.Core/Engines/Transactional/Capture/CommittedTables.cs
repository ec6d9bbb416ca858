using Faster.Analytics;
using Faster.Analytics.Scans;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Snapshots;
using Faster.Contracts;
using Faster.LogCommits;
using Faster.Sessions;

namespace Faster.Engines.Transactional.Capture;

/// <summary>The tables of the commits that are kept, for scans as of one of them.</summary>
/// <remarks>Thread-safe: a short lock.</remarks>
/// <param name="folder">The store's folder.</param>
/// <param name="closing">Says when the store is closed.</param>
internal sealed class CommittedTables(CommitFolder folder, StoreClosing closing) : ICommittedScans
{
    private readonly List<(Commit Commit, FileReference File)> _all = []; // oldest first

    /// <inheritdoc/>
    public IReadOnlyList<Commit> Commits
    {
        get
        {
            lock (_all) return [.. _all.Where(one => Files.Has([one.File])).Select(static one => one.Commit)];
        }
    }

    private SnapshotFileRefs Files => folder.Catalog.Snapshots;

    /// <summary>Adds the commits that the folder has when the store is opened.</summary>
    public void AddKept()
    {
        foreach (CommitRecord record in folder.Catalog.Kept.Reverse()) Add(record.ToCommit(), record);
    }

    /// <summary>Adds a commit that has become durable.</summary>
    public void Add(Commit commit, CommitRecord record)
    {
        lock (_all)
        {
            _ = _all.RemoveAll(one => !Files.Has([one.File]));
            _all.Add((commit, record.PartOf(TableFile.PartName).File!));
        }
    }

    /// <summary>Stops the deletion of files that are being read, because the store is closed.</summary>
    public void Close() => Files.Close();

    /// <inheritdoc/>
    public ICommittedRecords Open(Commit commit)
    {
        closing.ThrowIfUnusable();
        FileReference? file;
        lock (_all) file = _all.Find(one => one.Commit.Version == commit.Version).File;
        SnapshotFileRefs.Hold hold = (file is null ? null : Files.TryHold([file])) ?? throw CommitUnavailable.Of(
            commit.Version, "only the last two commits are kept, of those that were made to this folder");
        try
        {
            return new Records(TableFile.Open(folder, file!), hold, closing);
        }
        catch
        {
            hold.Dispose();
            throw;
        }
    }

    private sealed class Records(ChecksummedFileReader file, SnapshotFileRefs.Hold hold, StoreClosing closing)
        : ICommittedRecords
    {
        public bool TryRead(RecordCopies copies)
        {
            closing.ThrowIfUnusable();
            return TableFile.TryRead(file, copies);
        }

        public void Dispose()
        {
            file.Dispose();
            hold.Dispose();
        }
    }
}
