using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Log;

namespace Faster.Tests.Log;

/// <summary>
/// A device without time: keeps a copy of each part of a page that may be written, and reports it at once or when told.
/// </summary>
/// <remarks>Shared by scheduled threads, of which one runs at a time; in other tests used by one thread.</remarks>
internal sealed unsafe class FakePageSink(bool atOnce) : IPageSink
{
    private readonly Dictionary<long, byte[]> _pages = [];
    private readonly Queue<long> _waiting = new();
    private PagedLog? _log;
    private long _cursor;

    public bool HasFailed { get; set; }

    public int SectorSize => BlockFormat.BlockSize;

    /// <summary>The parts of pages that were taken and not yet reported as on the device.</summary>
    public int Waiting => _waiting.Count;

    /// <summary>The pages of which something was taken, in that order.</summary>
    public IReadOnlyCollection<long> Pages => _pages.Keys;

    public void Attach(PagedLog log)
    {
        _log = log;
        _cursor = log.FlushedUntilAddress;
    }

    public void Wake()
    {
        long frozen = _log!.SafeImmutableAddress;
        long boundary = new BlockGeometry(_log.PageBits).AlignToSector(frozen, SectorSize);
        if (frozen != boundary) throw new InvalidOperationException($"{frozen} is frozen, no boundary of sectors.");
        while (_cursor < frozen)
        {
            long page = _cursor >> _log.PageBits, from = _cursor;
            _cursor = Math.Min((page + 1) << _log.PageBits, frozen);
            if (!_pages.TryGetValue(page, out byte[]? bytes)) _pages[page] = bytes = new byte[_log.PageSize];
            var part = new ReadOnlySpan<byte>(_log.Pointer(from), (int)(_cursor - from));
            part.CopyTo(bytes.AsSpan((int)(from & (_log.PageSize - 1))));
            if (atOnce) _log.OnFlushed(_cursor);
            else _waiting.Enqueue(_cursor);
        }
    }

    /// <summary>The oldest waiting part is on the device.</summary>
    public bool TryFinishOne()
    {
        if (!_waiting.TryDequeue(out long until)) return false;
        _log!.OnFlushed(until);
        return true;
    }

    /// <summary>The bytes of the log from an address to its page's end, as they are on the device.</summary>
    public ReadOnlySpan<byte> Read(long address)
    {
        if (address >= _cursor) throw new InvalidOperationException($"Address {address} has never been flushed.");
        return _pages.TryGetValue(address >> _log!.PageBits, out byte[]? page)
            ? page.AsSpan((int)(address & (_log.PageSize - 1)))
            : throw new InvalidOperationException($"Address {address} has been given up.");
    }

    /// <summary>Drops whole pages below an address.</summary>
    public void Forget(long below)
    {
        foreach (long page in _pages.Keys.Where(page => page < below >> _log!.PageBits).ToArray()) _pages.Remove(page);
    }

    public void ThrowIfFailedAgain()
    {
        if (HasFailed) throw new StorageException("seeded");
    }
}
