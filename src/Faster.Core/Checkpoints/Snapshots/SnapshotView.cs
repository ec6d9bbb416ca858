using Faster.Checkpoints.Files;
using Faster.Devices.Folders;

namespace Faster.Checkpoints.Snapshots;

/// <summary>One snapshot or increment, read at any address (docs/formats/snapshot.md).</summary>
/// <remarks>
/// The run headers of an increment's changed records are read once; the view remembers where the runs of each page
/// begin. Not thread-safe.
/// </remarks>
internal sealed unsafe class SnapshotView : IDisposable
{
    private readonly ChecksummedFileView _file;
    private readonly int _pageBits;
    private readonly List<long> _pages = [];     // pages with changed records below the base, ascending
    private readonly List<long> _positions = []; // the position of the first run of each page
    private long _wholePosition;                 // the position of the bytes from the base on
    private long _wholeFrom;

    /// <summary>Opens a file.</summary>
    /// <param name="files">The store's files.</param>
    /// <param name="store">The store's identity.</param>
    /// <param name="snapshot">The commit's reference to the file.</param>
    /// <param name="pageBits">The base-2 logarithm of the log's page size.</param>
    /// <param name="window">The memory into which blocks are read; it outlives the view.</param>
    /// <exception cref="DamagedDataException">The file is missing or damaged.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public SnapshotView(StoreFiles files, ulong store, FileReference snapshot, int pageBits,
        ChecksummedWindow window)
    {
        _pageBits = pageBits;
        _file = new ChecksummedFileView(
            files, snapshot.FileName, ChecksummedFileKind.Snapshot, store, snapshot.Identity, snapshot.Bytes, window);
        try
        {
            Header = _file.Read<SnapshotHeader>(0);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The header: what the file captures.</summary>
    public SnapshotHeader Header { get; }

    /// <summary>Makes the exception for a file that does not fit together with the others.</summary>
    public DamagedDataException Damaged(string what) => _file.DamagedAt(sizeof(SnapshotHeader), what);

    /// <summary>Finds the positions of all runs. The caller must have checked the header.</summary>
    /// <exception cref="DamagedDataException">A run is out of order, too long, or missing.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public void Survey()
    {
        long position = sizeof(SnapshotHeader), next = Header.FromAddress;
        _wholeFrom = Math.Max(Header.FromAddress, Header.BaseAddress);
        for (;;)
        {
            var run = _file.Read<SnapshotRun>(position);
            long limit = Math.Min(PageEnd(run.Address), Header.BaseAddress);
            if (run.Address >= _wholeFrom || run is { Address: 0, Length: 0 })
            {
                FindWhole(run, position);
                return;
            }

            bool inOrder = run.Address >= next && run.Length > 0 && run.Length <= limit - run.Address;
            if (!inOrder) throw _file.DamagedAt(position, "a run in it is out of order or too long");
            long page = run.Address >> _pageBits;
            if (_pages.Count == 0 || _pages[^1] != page)
            {
                _pages.Add(page);
                _positions.Add(position);
            }

            next = run.Address + run.Length;
            position += sizeof(SnapshotRun) + run.Length;
        }
    }

    /// <summary>Copies what the file has of a range within one page over the memory's content.</summary>
    /// <param name="from">The first address.</param>
    /// <param name="to">The first address behind the range.</param>
    /// <param name="destination">The memory of the first address.</param>
    /// <exception cref="DamagedDataException">A block is damaged.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public void LayOver(long from, long to, byte* destination)
    {
        int known = _pages.BinarySearch(from >> _pageBits);
        long limit = Math.Min(to, _wholeFrom);
        for (long position = known < 0 ? 0 : _positions[known]; known >= 0;)
        {
            var run = _file.Read<SnapshotRun>(position);
            position += sizeof(SnapshotRun);
            if (run.Length == 0 || run.Address >= limit) break;
            Copy(run.Address, position, run.Length, from, to, destination);
            position += run.Length;
        }

        if (to > _wholeFrom)
            Copy(_wholeFrom, _wholePosition, Header.EndAddress - _wholeFrom, from, to, destination);
    }

    /// <summary>Closes the file.</summary>
    public void Dispose() => _file.Dispose();

    // Checks the last run, or the end mark if there is none: it must hold everything from the base on, and end the
    // file.
    private void FindWhole(SnapshotRun run, long position)
    {
        bool isWhole = run.Address == _wholeFrom && run.Length == Header.EndAddress - _wholeFrom;
        bool isNone = run is { Address: 0, Length: 0 } && Header.EndAddress <= _wholeFrom;
        if (!isWhole && !isNone) throw _file.DamagedAt(position, "the run from its base address on is incomplete");
        _wholePosition = position + sizeof(SnapshotRun);
        if (isNone) return;
        long behind = _wholePosition + run.Length;
        if (_file.Read<SnapshotRun>(behind) is not { Address: 0, Length: 0 })
            throw _file.DamagedAt(behind, "something follows its last run");
    }

    private void Copy(long address, long position, long length, long from, long to, byte* destination)
    {
        long first = Math.Max(address, from), end = Math.Min(address + length, to);
        if (first < end) _file.Read(position + (first - address), destination + (first - from), end - first);
    }

    private long PageEnd(long address) => ((address >> _pageBits) + 1) << _pageBits;
}
