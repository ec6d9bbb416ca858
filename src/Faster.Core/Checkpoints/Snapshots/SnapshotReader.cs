using Faster.Checkpoints.Files;
using Faster.Devices.Folders;
using Faster.Log;

namespace Faster.Checkpoints.Snapshots;

/// <summary>
/// Loads a snapshot and the increments over it into the log's memory, oldest first (docs/formats/snapshot.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Every block of every file is verified before a byte of it is used.</item>
/// <item>The files fit together and cover the commit without a gap.</item>
/// <item>Nothing outside the range that the caller names is written.</item>
/// </list>
/// <para>Not thread-safe; the log is not in use yet.</para>
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="store">The store's identity.</param>
/// <param name="log">The log, with frames for all that will be loaded.</param>
/// <param name="onRead">Called with the number of bytes of files that have been read.</param>
/// <param name="onLoaded">
/// Called with the first address of a part of a page that is loaded for good, and the first one behind it.
/// </param>
internal sealed unsafe class SnapshotReader(
    StoreFiles files, ulong store, PagedLog log, Action<long>? onRead = null,
    Action<long, long>? onLoaded = null)
{
    private const int Step = 1 << 20; // between two reports of progress, and two checks of the token

    private readonly byte[] _ignored = new byte[4096];
    private bool _isOnly; // whether there is one snapshot, without increments over it

    /// <summary>Loads what the snapshots hold between two addresses, and nothing outside.</summary>
    /// <param name="snapshots">The snapshots, oldest first.</param>
    /// <param name="from">The commit's FlushedUntil: below it the log's own file has the records.</param>
    /// <param name="end">The commit's end address.</param>
    /// <param name="ct">Cancels the reading.</param>
    /// <exception cref="DamagedDataException">
    /// A file is missing or damaged, or the files do not make up the commit.
    /// </exception>
    /// <exception cref="StorageException">A file can't be read.</exception>
    public void Load(IReadOnlyList<FileReference> snapshots, long from, long end, CancellationToken ct)
    {
        _isOnly = snapshots.Count == 1;
        long covered = from; // by the files so far, from `from` on
        for (int i = 0; i < snapshots.Count; i++)
        {
            FileReference snapshot = snapshots[i];
            using var reader = new ChecksummedFileReader(
                files, snapshot.FileName, ChecksummedFileKind.Snapshot, store, snapshot.Identity, snapshot.Bytes);
            var header = reader.Read<SnapshotHeader>();
            if (!header.Follows(covered, end, isFirst: i == 0))
                throw reader.Damaged($"it does not continue the snapshots before it, which end at {covered:N0}");
            long reported = LoadRuns(reader, header, from, end, ct);
            onRead?.Invoke(snapshot.Bytes - reported);
            covered = header.EndAddress;
            if (i == snapshots.Count - 1 && covered != end)
                throw reader.Damaged($"it ends at {covered:N0}, but the commit ends at {end:N0}");
        }
    }

    private long LoadRuns(ChecksummedFileReader reader, SnapshotHeader header, long from, long end,
        CancellationToken ct)
    {
        long next = header.FromAddress, reported = 0;
        for (;;)
        {
            var run = reader.Read<SnapshotRun>();
            if (run is { Address: 0, Length: 0 }) break;
            bool inOrder = run.Address >= next && run.Length > 0 && run.Length <= header.EndAddress - run.Address;
            if (!inOrder) throw reader.Damaged("a run in it is out of order or too long");
            next = run.Address + run.Length;
            for (long at = run.Address; at < next;)
            {
                ct.ThrowIfCancellationRequested();
                at += LoadSome(reader, at, Math.Min(next, at + Step), from, end);
                onRead?.Invoke(reader.Offset - reported);
                reported = reader.Offset;
            }
        }

        reader.ReadToEnd();
        return reported;
    }

    // What lies outside is read too, because reading verifies it.
    private long LoadSome(ChecksummedFileReader reader, long at, long until, long from, long end)
    {
        if (at < from || at >= end)
        {
            until = Math.Min(at < from ? Math.Min(until, from) : until, at + _ignored.Length);
            reader.Read(_ignored.AsSpan(0, (int)(until - at)));
            return until - at;
        }

        until = Math.Min(Math.Min(until, end), log.PageEndOf(at));
        reader.Read(log.Pointer(at), until - at);
        if (_isOnly) onLoaded?.Invoke(at, until);
        return until - at;
    }
}
