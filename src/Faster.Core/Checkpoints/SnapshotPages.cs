using Faster.Devices;

namespace Faster.Checkpoints;

/// <summary>
/// The part of a commit's log that only its snapshots have, page by page, in any order and as often as is asked for.
/// </summary>
/// <remarks>
/// Every block is verified before a byte of it is used; the files must fit together and cover the commit without a
/// hole. They stay where they are until this is disposed of, whatever is committed meanwhile. Memory: one window, and a
/// few words for each page that an increment has changed. The calls block. Not thread-safe.
/// </remarks>
internal sealed unsafe class SnapshotPages : IDisposable
{
    private const long MostWindow = 1 << 20;

    private readonly SnapshotShelf.Hold _hold;
    private readonly SealedWindow _window;
    private readonly List<SnapshotView> _views = []; // a whole snapshot and the increments over it, oldest first

    /// <summary>Opens the files of a commit.</summary>
    /// <param name="files">Where they are.</param>
    /// <param name="store">The store's identity.</param>
    /// <param name="hold">Which files, kept in place; is given back with this.</param>
    /// <param name="from">The commit's FlushedUntil: below it the log itself has the records.</param>
    /// <param name="end">The commit's end.</param>
    /// <param name="pageBits">The logarithm of the log's page size.</param>
    /// <exception cref="DamagedDataException">
    /// A file is missing or damaged, or the files do not make up the commit.
    /// </exception>
    /// <exception cref="StorageException">A file can't be read.</exception>
    public SnapshotPages(
        StoreFiles files, ulong store, SnapshotShelf.Hold hold, long from, long end, int pageBits)
    {
        (FromAddress, _hold) = (from, hold);
        _window = new SealedWindow(Math.Min(MostWindow, 1L << pageBits));
        try
        {
            long covered = from;
            foreach (SnapshotReference snapshot in hold.Snapshots)
            {
                var view = new SnapshotView(files, store, snapshot, pageBits, _window);
                _views.Add(view);
                if (!view.Header.Follows(covered, end, isFirst: _views.Count == 1))
                    throw view.Damaged($"it does not follow on the snapshots before it, which end at {covered:N0}");
                view.Survey();
                covered = view.Header.EndAddress;
            }

            if (covered != end) throw _views[^1].Damaged($"it ends at {covered:N0}, and the commit at {end:N0}");
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Below it the log itself has the records.</summary>
    public long FromAddress { get; }

    /// <summary>Reads a stretch of one page, at or above <see cref="FromAddress"/>, as the commit has it.</summary>
    /// <param name="from">The first address.</param>
    /// <param name="to">The first address after it.</param>
    /// <param name="destination">Room for the stretch.</param>
    /// <exception cref="DamagedDataException">A block is damaged.</exception>
    /// <exception cref="StorageException">A file can't be read.</exception>
    public void Load(long from, long to, byte* destination)
    {
        foreach (SnapshotView view in _views) view.LayOver(from, to, destination);
    }

    /// <summary>Lets go of the files.</summary>
    public void Dispose()
    {
        foreach (SnapshotView view in _views) view.Dispose();
        _window.Dispose();
        _hold.Dispose();
    }
}
