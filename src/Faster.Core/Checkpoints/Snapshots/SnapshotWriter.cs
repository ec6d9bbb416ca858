using Faster.Checkpoints.Files;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Log;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Checkpoints.Snapshots;

/// <summary>
/// Captures what a commit needs of the log and the log's own file does not have (paper 004 §5.3, "snapshot to separate
/// file"): whole, or as an increment over the snapshot before it (docs/formats/snapshot.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>From ≤ End and Base ≤ End; the runs of a file ascend and do not overlap.</item>
/// <item>What is captured of version v does not change during the capture.</item>
/// <item>A file whose capture has failed is deleted, or named by no commit.</item>
/// </list>
/// <para>Runs while operations go on, in a thread of the store that may block. Until it returns, all records below the
/// end must be completely written, and none of version v or earlier may change. Records of v + 1 may change, and may be
/// captured half-way through an update: a recovery leaves them out, and skips them by header and lengths, which are
/// intact.</para>
/// <para>A page is copied under an epoch of its own. A page that has left memory by then has been flushed, and is read
/// back from the device. The alternative, to hold the head in place, would stop all writers from the moment memory is
/// full until the snapshot is on disk.</para>
/// <para>An increment holds the records below the previous end whose header has one of the given versions: an update in
/// place stamps the version. A record of 255 versions ago has the same code and is written without need, which does no
/// harm.</para>
/// <para>Thread-safe: any number of captures at once, each under its own name.</para>
/// </remarks>
/// <param name="epochs">The epochs that protect the log.</param>
/// <param name="log">The log.</param>
/// <param name="storage">The log's storage on the device.</param>
/// <param name="files">The store's files.</param>
/// <param name="store">The store's identity.</param>
/// <param name="bufferBytes">The size of one write; up to four buffers of this size are used.</param>
internal sealed unsafe class SnapshotWriter(
    EpochTable epochs, PagedLog log, LogStorage storage, StoreFiles files, ulong store,
    int bufferBytes = ChecksummedFileWriter.DefaultBufferBytes)
{
    private const int PartBytes = 256 << 10; // copied twice, the second time from the processor's cache

    /// <summary>Captures everything between two addresses, and makes the file's content durable.</summary>
    /// <param name="name">The file's name.</param>
    /// <param name="from">
    /// Below this address the log on the device has the records: FlushedUntil, read before the capture.
    /// </param>
    /// <param name="end">The commit's end address.</param>
    /// <param name="ct">Cancels the capture, which deletes the file.</param>
    /// <exception cref="StorageException">The file can't be written, or the device can't be read.</exception>
    /// <exception cref="DamagedDataException">A page that had left memory is damaged on the device.</exception>
    public FileReference Write(string name, long from, long end, CancellationToken ct) =>
        Write(name, new SnapshotHeader(from, from, end), [], ct);

    /// <summary>
    /// Captures what has changed since a commit that ended at an address, and everything above that address.
    /// </summary>
    /// <param name="name">The file's name.</param>
    /// <param name="from">
    /// As for <see cref="Write(string, long, long, CancellationToken)"/>. The address may lie within a record, because
    /// the log is flushed in parts; so the increment begins at the start of its page.
    /// </param>
    /// <param name="previousEnd">The end address of the commit that this one is an increment over.</param>
    /// <param name="end">This commit's end address.</param>
    /// <param name="versions">The codes of the versions since that commit.</param>
    /// <param name="ct">Cancels the capture, which deletes the file.</param>
    /// <exception cref="StorageException">The file can't be written, or the device can't be read.</exception>
    /// <exception cref="DamagedDataException">A page that had left memory is damaged on the device.</exception>
    public FileReference WriteIncrement(
        string name, long from, long previousEnd, long end, ReadOnlySpan<byte> versions, CancellationToken ct) =>
        Write(name, new SnapshotHeader(StartOf(from).Address, previousEnd, end), versions, ct);

    private RecordBoundary StartOf(long from) => Probe.On && Probe.Has(SeededBug.IncrementWithinRecord)
        ? RecordBoundary.OfTail(from)
        : log.WalkStartOf(from);

    private FileReference Write(
        string name, SnapshotHeader header, ReadOnlySpan<byte> versions, CancellationToken ct)
    {
        Invariant.Check(
            header.FromAddress <= header.EndAddress && header.BaseAddress <= header.EndAddress
                && header.EndAddress <= log.TailAddress,
            $"a snapshot ends last, in the log: {header}, {log.TailAddress}");
        try
        {
            using var writer = new ChecksummedFileWriter(files, name, ChecksummedFileKind.Snapshot, store, bufferBytes);
            using var page = new PageCopy(epochs, log, storage, "a snapshot");
            writer.Write((byte*)&header, sizeof(SnapshotHeader));
            var pace = new CapturePace(epochs);
            WriteChanged(writer, page, header, versions, pace, ct);
            WriteAll(writer, page, Math.Max(header.FromAddress, header.BaseAddress), header.EndAddress, pace, ct);
            WriteRun(writer, 0, 0);
            long bytes = writer.Complete();
            return new FileReference(name, writer.Identity, bytes);
        }
        catch
        {
            DeleteUnfinished(name);
            throw;
        }
    }

    private void WriteChanged(
        ChecksummedFileWriter writer, PageCopy page, SnapshotHeader header, ReadOnlySpan<byte> versions,
        CapturePace pace, CancellationToken ct)
    {
        if (header.FromAddress >= header.BaseAddress) return; // a whole snapshot, or nothing in memory has changed
        for (RecordBoundary at = StartOf(header.FromAddress); at.Address < header.BaseAddress;)
        {
            ct.ThrowIfCancellationRequested();
            WriteChanged(writer, page.Walk(ref at, header.BaseAddress), versions);
            pace.Rest();
        }
    }

    private static void WriteChanged(ChecksummedFileWriter writer, RecordWalker walker, ReadOnlySpan<byte> versions)
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

    private void WriteAll(
        ChecksummedFileWriter writer, PageCopy page, long from, long end, CapturePace pace,
        CancellationToken ct)
    {
        if (from >= end) return;
        WriteRun(writer, from, end - from);
        for (long at = from; at < end;)
        {
            long to = Math.Min(Math.Min(log.PageEndOf(at), end), at + PartBytes);
            ct.ThrowIfCancellationRequested();
            writer.Write(page.Load(at, to), to - at);
            at = to;
            pace.Rest();
        }
    }

    private static void WriteRun(ChecksummedFileWriter writer, long address, long length)
    {
        var run = new SnapshotRun(address, length);
        writer.Write((byte*)&run, sizeof(SnapshotRun));
    }

    private static void WriteRun(ChecksummedFileWriter writer, long address, long length, byte* bytes)
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
