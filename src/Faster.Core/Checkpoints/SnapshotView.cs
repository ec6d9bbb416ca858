using Faster.Devices;

namespace Faster.Checkpoints;

/// <summary>One snapshot or increment, read at the addresses that are asked for (docs/formats/snapshot.md).</summary>
/// <remarks>
/// Of an increment's changed records the headers of the stretches are gone through once; what is remembered is where
/// those of each page begin. Not thread-safe.
/// </remarks>
internal sealed unsafe class SnapshotView : IDisposable
{
    private readonly SealedFileView _file;
    private readonly int _pageBits;
    private readonly List<long> _pages = [];     // that have changed records below the base, ascending
    private readonly List<long> _positions = []; // of the first stretch of each
    private long _wholePosition;                 // of the bytes from the base on
    private long _wholeFrom;

    /// <summary>Opens a file.</summary>
    /// <param name="files">Where it is.</param>
    /// <param name="store">The store's identity.</param>
    /// <param name="snapshot">What the commit's record says of it.</param>
    /// <param name="pageBits">The logarithm of the log's page size.</param>
    /// <param name="window">Where it is read to; outlives the view.</param>
    /// <exception cref="DamagedDataException">It is missing or damaged.</exception>
    /// <exception cref="StorageException">It can't be read.</exception>
    public SnapshotView(StoreFiles files, ulong store, SnapshotReference snapshot, int pageBits, SealedWindow window)
    {
        _pageBits = pageBits;
        _file = new SealedFileView(
            files, snapshot.FileName, SealedFileKind.Snapshot, store, snapshot.Identity, snapshot.Bytes, window);
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

    /// <summary>What it captures.</summary>
    public SnapshotHeader Header { get; }

    /// <summary>The error for a file that does not fit together with others.</summary>
    public DamagedDataException Damaged(string what) => _file.DamagedAt(sizeof(SnapshotHeader), what);

    /// <summary>Finds out where everything lies. The header must have been checked.</summary>
    /// <exception cref="DamagedDataException">A stretch is out of order, too long, or missing.</exception>
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
            if (!inOrder) throw _file.DamagedAt(position, "a stretch of it is out of order or too long");
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

    /// <summary>Writes what the file has of a stretch of one page over what is there.</summary>
    /// <param name="from">The first address.</param>
    /// <param name="to">The first address after it.</param>
    /// <param name="destination">Where the first address's byte is.</param>
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

    // The last stretch, or the mark at the end if there is none: everything from the base on, and nothing behind it.
    private void FindWhole(SnapshotRun run, long position)
    {
        bool isWhole = run.Address == _wholeFrom && run.Length == Header.EndAddress - _wholeFrom;
        bool isNone = run is { Address: 0, Length: 0 } && Header.EndAddress <= _wholeFrom;
        if (!isWhole && !isNone) throw _file.DamagedAt(position, "the stretch from its base on is not whole");
        _wholePosition = position + sizeof(SnapshotRun);
        if (isNone) return;
        long behind = _wholePosition + run.Length;
        if (_file.Read<SnapshotRun>(behind) is not { Address: 0, Length: 0 })
            throw _file.DamagedAt(behind, "something follows its last stretch");
    }

    private void Copy(long address, long position, long length, long from, long to, byte* destination)
    {
        long first = Math.Max(address, from), end = Math.Min(address + length, to);
        if (first < end) _file.Read(position + (first - address), destination + (first - from), end - first);
    }

    private long PageEnd(long address) => ((address >> _pageBits) + 1) << _pageBits;
}
