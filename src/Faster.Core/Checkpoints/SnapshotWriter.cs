using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Log;

namespace Faster.Checkpoints;

/// <summary>
/// Captures what a commit needs of the log and the log's own file does not have (paper 004 §5.3, «snapshot to separate
/// file»): whole, or as an increment over the snapshot before (docs/formats/snapshot.md).
/// </summary>
/// <remarks>
/// <para>Runs while operations go on, in a thread of the store that may block. All records below the end must be
/// written, and none of version v or before may change, until it returns; those of v + 1 may, and may be captured in
/// between: a recovery leaves them out, and steps over them by header and lengths, which are whole.</para>
/// <para>A page is copied under an epoch of its own. One that has left memory meanwhile has been flushed on the way,
/// and is read back from the device. The alternative, to hold the head where it is, would stop all writers as soon
/// as memory is full, until the snapshot is on disk.</para>
/// <para>An increment holds the records below the previous end whose header has one of the versions given: an update in
/// place stamps them. A record of 255 versions ago that looks alike is written needlessly, which does no harm.</para>
/// <para>Thread-safe: any number of captures at once, under names of their own.</para>
/// </remarks>
/// <param name="epochs">The epochs that protect the log.</param>
/// <param name="log">The log.</param>
/// <param name="storage">Where it lies on the device.</param>
/// <param name="files">Where snapshots go.</param>
/// <param name="store">The store's identity.</param>
/// <param name="bufferBytes">The size of one write, of which up to four buffers are used.</param>
internal sealed unsafe class SnapshotWriter<TProbe>(
    EpochTable<TProbe> epochs, PagedLog<TProbe> log, LogStorage storage, StoreFiles files, ulong store,
    int bufferBytes = SealedFileWriter.DefaultBufferBytes)
    where TProbe : struct, IProbe
{
    /// <summary>Captures everything between two addresses, and makes the file's content durable.</summary>
    /// <param name="name">The file's name.</param>
    /// <param name="from">Below it the log on the device has the records: FlushedUntil, read before.</param>
    /// <param name="end">The commit's end.</param>
    /// <param name="ct">Gives the capture up, and deletes the file.</param>
    /// <exception cref="StorageException">The file can't be written, or the device not be read.</exception>
    /// <exception cref="DamagedDataException">A page that had left memory is damaged on the device.</exception>
    public SnapshotReference Write(string name, long from, long end, CancellationToken ct) =>
        Write(name, new SnapshotHeader(from, from, end), [], ct);

    /// <summary>Captures what has changed since a commit that ended at an address, and everything above that.</summary>
    /// <param name="name">The file's name.</param>
    /// <param name="from">
    /// As for <see cref="Write(string, long, long, CancellationToken)"/>. It may lie within a record, as the log is
    /// flushed in parts; so the increment begins with its page.
    /// </param>
    /// <param name="previousEnd">Where the commit ended that this is an increment over.</param>
    /// <param name="end">This commit's end.</param>
    /// <param name="versions">The codes of the versions since that commit.</param>
    /// <param name="ct">Gives the capture up, and deletes the file.</param>
    /// <exception cref="StorageException">The file can't be written, or the device not be read.</exception>
    /// <exception cref="DamagedDataException">A page that had left memory is damaged on the device.</exception>
    public SnapshotReference WriteIncrement(
        string name, long from, long previousEnd, long end, ReadOnlySpan<byte> versions, CancellationToken ct) =>
        Write(name, new SnapshotHeader(StartOf(from).Address, previousEnd, end), versions, ct);

    private RecordBoundary StartOf(long from) => TProbe.Has(SeededBug.IncrementWithinRecord)
        ? RecordBoundary.OfTail(from)
        : log.WalkStartOf(from);

    private SnapshotReference Write(
        string name, SnapshotHeader header, ReadOnlySpan<byte> versions, CancellationToken ct)
    {
        try
        {
            using var writer = new SealedFileWriter(files, name, SealedFileKind.Snapshot, store, bufferBytes);
            using var page = new PageCopy<TProbe>(epochs, log, storage, "a snapshot");
            writer.Write((byte*)&header, sizeof(SnapshotHeader));
            WriteChanged(writer, page, header, versions, ct);
            WriteAll(writer, page, Math.Max(header.FromAddress, header.BaseAddress), header.EndAddress, ct);
            WriteRun(writer, 0, 0);
            long bytes = writer.Complete();
            return new SnapshotReference(name, writer.Identity, bytes);
        }
        catch
        {
            DeleteUnfinished(name);
            throw;
        }
    }

    private void WriteChanged(
        SealedFileWriter writer, PageCopy<TProbe> page, SnapshotHeader header, ReadOnlySpan<byte> versions,
        CancellationToken ct)
    {
        if (header.FromAddress >= header.BaseAddress) return; // a whole snapshot, or nothing in memory has changed
        for (RecordBoundary at = StartOf(header.FromAddress); at.Address < header.BaseAddress;)
        {
            ct.ThrowIfCancellationRequested();
            WriteChanged(writer, page.Walk(ref at, header.BaseAddress), versions);
        }
    }

    private static void WriteChanged(SealedFileWriter writer, RecordWalker walker, ReadOnlySpan<byte> versions)
    {
        byte* bytes = null;
        long address = 0, length = 0;
        while (walker.MoveNext())
        {
            if (!versions.Contains(RecordHeader.VersionCode(walker.Header))) continue;
            if (walker.Address != address + length)
            {
                WriteRun(writer, address, length, bytes);
                (address, length) = (walker.Address, 0);
                bytes = walker.Record;
            }

            length += walker.Size;
        }

        WriteRun(writer, address, length, bytes);
    }

    private void WriteAll(SealedFileWriter writer, PageCopy<TProbe> page, long from, long end, CancellationToken ct)
    {
        if (from >= end) return;
        WriteRun(writer, from, end - from);
        for (long at = from; at < end;)
        {
            long to = Math.Min(log.PageEndOf(at), end);
            ct.ThrowIfCancellationRequested();
            writer.Write(page.Load(at, to), to - at);
            at = to;
        }
    }

    private static void WriteRun(SealedFileWriter writer, long address, long length)
    {
        var run = new SnapshotRun(address, length);
        writer.Write((byte*)&run, sizeof(SnapshotRun));
    }

    private static void WriteRun(SealedFileWriter writer, long address, long length, byte* bytes)
    {
        if (length == 0) return;
        WriteRun(writer, address, length);
        writer.Write(bytes, length);
    }

    private void DeleteUnfinished(string name)
    {
        try
        {
            files.Delete(name);
        }
        catch (FasterException)
        {
            // No commit names the file: the next opening of the store removes it.
        }
    }
}
