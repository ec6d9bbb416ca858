using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Invariants;
using Faster.Log;
using Faster.Memory;

namespace Faster.Checkpoints.Snapshots;

/// <summary>
/// Writes to the log what a commit has only in snapshots and memory can't hold, so that every commit can be recovered
/// with any memory size: the index may have grown since the records were captured, or the budget may be smaller.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>It writes as a flush does, above what the commit has on the device and under the incarnation of the recovering
/// process. No commit covers a block there, so a crash at any time leads to the same commit again, and an older commit
/// that is kept loses nothing.</item>
/// <item>Records that are left out are written unchanged: they lie in the discarded ranges, as any such records on the
/// device do.</item>
/// </list>
/// <para>Memory: two pages. Not thread-safe; runs before the store's I/O thread polls the device.</para>
/// </remarks>
/// <param name="storage">The log's storage, restored to the commit and a new incarnation.</param>
/// <param name="files">The store's files.</param>
/// <param name="store">The store's identity.</param>
internal sealed unsafe class SnapshotSpill(LogStorage storage, StoreFiles files, ulong store)
{
    private static readonly TimeSpan Idle = TimeSpan.FromMilliseconds(100);

    private readonly IORequest[] _completed = new IORequest[1];

    /// <summary>Writes the part of a commit between its FlushedUntil and an address.</summary>
    /// <param name="commit">What the commit records of the log.</param>
    /// <param name="until">The start of a page, at or below the commit's end.</param>
    /// <param name="ct">Cancels the writing.</param>
    /// <exception cref="DamagedDataException">A snapshot can't be trusted.</exception>
    /// <exception cref="StorageException">A snapshot can't be read, or the log can't be written.</exception>
    public void Run(CommittedLog commit, long until, CancellationToken ct)
    {
        BlockGeometry geometry = storage.Geometry;
        var snapshotFiles = new SnapshotFileRefs(files, store);
        snapshotFiles.Keep(commit.Snapshots);
        using SnapshotPages pages = snapshotFiles.TryOpen(
            commit.Snapshots, commit.FlushedUntilAddress, commit.EndAddress, geometry.PageBits)!;
        using var page = new NativeBlock(geometry.PageBytes, hugePages: false);
        using var blocks = new NativeBlock(geometry.PageStride, hugePages: false);
        for (long at = commit.FlushedUntilAddress, next; at < until; at = next)
        {
            ct.ThrowIfCancellationRequested();
            next = ((at >> geometry.PageBits) + 1) << geometry.PageBits;
            long start = next - geometry.PageBytes;
            Invariant.Check(
                at >= storage.OwnFrom && next <= until && until <= commit.EndAddress,
                $"nothing that a commit covers is written: {at} to {next}, from {storage.OwnFrom} to {until}");
            pages.Load(at, next, page.Pointer + (at - start));
            Write(at, page.Pointer, start, blocks.Pointer);
            new Span<byte>(page.Pointer, geometry.PageBytes).Clear();
        }
    }

    // Writes all blocks of a page from the one that begins at an address. (The log's first address lies within a block,
    // the first one.)
    private void Write(long from, byte* page, long start, byte* blocks)
    {
        BlockGeometry geometry = storage.Geometry;
        int first = (int)(from - start) / BlockFormat.Payload, count = geometry.BlocksPerPage - first;
        int skip = first * BlockFormat.Payload;
        long index = (start >> geometry.PageBits) * geometry.BlocksPerPage + first;
        BlockFormat.Encode(storage.IdentityOf(from), index, page + skip, geometry.PageBytes - skip, blocks, count);
        var write = new IORequest
        {
            Kind = IOKind.Write,
            Offset = index * BlockFormat.BlockSize,
            Length = count * BlockFormat.BlockSize,
            Buffer = blocks,
        };
        storage.Device.SubmitTyped([write]);
        while (storage.Device.PollTyped(_completed) == 0) storage.Device.Wait(Idle);
        if (write.Error is { } error) throw error;
        storage.CountWrite(write.Length);
    }
}
