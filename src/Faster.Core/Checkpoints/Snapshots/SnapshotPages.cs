using Faster.Checkpoints.Files;
using Faster.Devices.Folders;
using Faster.Invariants;

namespace Faster.Checkpoints.Snapshots;

/// <summary>
/// Reads the part of a commit's log that only its snapshots hold, page by page, in any order and repeatedly.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Every block is verified before a byte of it is used.</item>
/// <item>The files fit together and cover the commit without a gap.</item>
/// <item>They stay in place until this is disposed of, whatever the store commits meanwhile.</item>
/// </list>
/// <para>Memory: one window, and a few words for each page that an increment has changed. The calls block. Not
/// thread-safe.</para>
/// </remarks>
internal sealed unsafe class SnapshotPages : IDisposable
{
    private const long MaxWindow = 1 << 20;

    private readonly SnapshotFileRefs.Hold _hold;
    private readonly ChecksummedWindow _window;
    private readonly List<SnapshotView> _views = []; // a whole snapshot and the increments over it, oldest first

    /// <summary>Opens the files of a commit.</summary>
    /// <param name="files">The store's files.</param>
    /// <param name="store">The store's identity.</param>
    /// <param name="hold">The snapshots, kept in place; disposed of with this object.</param>
    /// <param name="from">The commit's FlushedUntil: below it the log's own file has the records.</param>
    /// <param name="end">The commit's end address.</param>
    /// <param name="pageBits">The base-2 logarithm of the log's page size.</param>
    /// <exception cref="DamagedDataException">
    /// A file is missing or damaged, or the files do not make up the commit.
    /// </exception>
    /// <exception cref="StorageException">A file can't be read.</exception>
    public SnapshotPages(
        StoreFiles files, ulong store, SnapshotFileRefs.Hold hold, long from, long end, int pageBits)
    {
        (FromAddress, _hold) = (from, hold);
        _window = new ChecksummedWindow(Math.Min(MaxWindow, 1L << pageBits));
        try
        {
            long covered = from;
            foreach (FileReference snapshot in hold.Snapshots)
            {
                var view = new SnapshotView(files, store, snapshot, pageBits, _window);
                _views.Add(view);
                if (!view.Header.Follows(covered, end, isFirst: _views.Count == 1))
                    throw view.Damaged($"it does not continue the snapshots before it, which end at {covered:N0}");
                view.Survey();
                covered = view.Header.EndAddress;
            }

            if (covered != end) throw _views[^1].Damaged($"it ends at {covered:N0}, but the commit ends at {end:N0}");
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Below this address the log's own file has the records.</summary>
    public long FromAddress { get; }

    /// <summary>Reads a range within one page, at or above <see cref="FromAddress"/>, as the commit has it.</summary>
    /// <param name="from">The first address.</param>
    /// <param name="to">The first address behind the range.</param>
    /// <param name="destination">Memory for the range.</param>
    /// <exception cref="DamagedDataException">A block is damaged.</exception>
    /// <exception cref="StorageException">A file can't be read.</exception>
    public void Load(long from, long to, byte* destination)
    {
        Invariant.Check(from >= FromAddress && to > from, $"{from} to {to} lie in the snapshots from {FromAddress} on");
        foreach (SnapshotView view in _views) view.LayOver(from, to, destination);
    }

    /// <summary>Closes the files and releases them.</summary>
    public void Dispose()
    {
        foreach (SnapshotView view in _views) view.Dispose();
        _window.Dispose();
        _hold.Dispose();
    }
}
