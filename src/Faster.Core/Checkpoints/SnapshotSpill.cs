using Faster.Devices;
using Faster.Log;
using Faster.Memory;

namespace Faster.Checkpoints;

/// <summary>
/// Writes to the log what a commit has in snapshots only and memory can't hold, so that any commit can be recovered
/// with any memory: the index may have grown since its records were captured, or the budget be smaller.
/// </summary>
/// <remarks>
/// <para>Invariant: it writes as a flush does, above what the commit has on the device and under the incarnation of the
/// process that recovers. No commit covers a block there, so a crash at any time leads to the same commit again, and an
/// older commit that is kept loses nothing. Records that are left out are written as they are: they are in the table of
/// abandoned ranges, as any on the device.</para>
/// <para>Memory: two pages. Not thread-safe; before the store's I/O thread polls the device.</para>
/// </remarks>
/// <param name="storage">Where the log lies, restored to the commit and a new incarnation.</param>
/// <param name="files">Where the snapshots are.</param>
/// <param name="store">The store's identity.</param>
internal sealed unsafe class SnapshotSpill(LogStorage storage, StoreFiles files, ulong store)
{
    private static readonly TimeSpan Idle = TimeSpan.FromMilliseconds(100);

    private readonly IoRequest[] _completed = new IoRequest[1];

    /// <summary>Writes the part of a commit between its FlushedUntil and an address.</summary>
    /// <param name="commit">What the commit has of the log.</param>
    /// <param name="until">A page's start, at or below the commit's end.</param>
    /// <param name="ct">Ends the writing.</param>
    /// <exception cref="DamagedDataException">A snapshot can't be trusted.</exception>
    /// <exception cref="StorageException">A snapshot can't be read, or the log not be written.</exception>
    public void Run(CommittedLog commit, long until, CancellationToken ct)
    {
        BlockGeometry geometry = storage.Geometry;
        var shelf = new SnapshotShelf(files, store);
        shelf.Keep(commit.Snapshots);
        using SnapshotPages pages = shelf.TryOpen(
            commit.Snapshots, commit.FlushedUntilAddress, commit.EndAddress, geometry.PageBits)!;
        using var page = new NativeBlock(geometry.PageBytes, hugePages: false);
        using var blocks = new NativeBlock(geometry.PageStride, hugePages: false);
        for (long at = commit.FlushedUntilAddress, next; at < until; at = next)
        {
            ct.ThrowIfCancellationRequested();
            next = ((at >> geometry.PageBits) + 1) << geometry.PageBits;
            long start = next - geometry.PageBytes;
            pages.Load(at, next, page.Pointer + (at - start));
            Write(at, page.Pointer, start, blocks.Pointer);
            new Span<byte>(page.Pointer, geometry.PageBytes).Clear();
        }
    }

    // All blocks of a page from the one on that an address begins; the first address lies within the first block.
    private void Write(long from, byte* page, long start, byte* blocks)
    {
        BlockGeometry geometry = storage.Geometry;
        int first = (int)(from - start) / BlockFormat.Payload, count = geometry.BlocksPerPage - first;
        int skip = first * BlockFormat.Payload;
        long index = (start >> geometry.PageBits) * geometry.BlocksPerPage + first;
        BlockFormat.Encode(storage.SealOf(from), index, page + skip, geometry.PageBytes - skip, blocks, count);
        var write = new IoRequest
        {
            Kind = IoKind.Write,
            Offset = index * BlockFormat.BlockSize,
            Length = count * BlockFormat.BlockSize,
            Buffer = blocks,
        };
        storage.Device.Submit([write]);
        while (storage.Device.Poll(_completed) == 0) storage.Device.Wait(Idle);
        if (write.Error is { } error) throw error as StorageException ?? new StorageException(error.Message, error);
        storage.CountWrite(write.Length);
    }
}
