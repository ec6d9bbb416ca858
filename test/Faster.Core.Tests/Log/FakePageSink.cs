using Faster.Contracts;
using Faster.Log;

namespace Faster.Tests.Log;

/// <summary>A device without time: keeps a copy of each page handed over, and says so at once or when told.</summary>
/// <remarks>Shared by scheduled threads, of which one runs at a time; in other tests used by one thread.</remarks>
internal sealed unsafe class FakePageSink<TProbe>(bool atOnce) : IPageSink
    where TProbe : struct, IProbe
{
    private readonly Dictionary<long, byte[]> _pages = [];
    private readonly Queue<long> _waiting = new();
    private PagedLog<TProbe>? _log;

    public bool HasFailed { get; set; }

    /// <summary>The pages that were handed over and are not said to be on the device.</summary>
    public int Waiting => _waiting.Count;

    /// <summary>The pages that were handed over, in that order if one thread did it.</summary>
    public IReadOnlyCollection<long> Pages => _pages.Keys;

    public void Attach(PagedLog<TProbe> log) => _log = log;

    public void Flush(long page)
    {
        byte[] copy = new ReadOnlySpan<byte>(_log!.Pointer(page << _log.PageBits), (int)_log.PageSize).ToArray();
        if (!_pages.TryAdd(page, copy)) throw new InvalidOperationException($"Page {page} was flushed twice.");
        if (atOnce) _log.OnFlushed(page);
        else _waiting.Enqueue(page);
    }

    /// <summary>The oldest waiting page is on the device.</summary>
    public bool TryFinishOne()
    {
        if (!_waiting.TryDequeue(out long page)) return false;
        _log!.OnFlushed(page);
        return true;
    }

    /// <summary>The bytes of the log from an address to its page's end, as they are on the device.</summary>
    public ReadOnlySpan<byte> Read(long address)
    {
        if (!_pages.TryGetValue(address >> _log!.PageBits, out byte[]? page))
            throw new InvalidOperationException($"Address {address} is below the head, but was never flushed.");
        return page.AsSpan((int)(address & (_log.PageSize - 1)));
    }

    public void ThrowIfFailedAgain()
    {
        if (HasFailed) throw new StorageException("sown");
    }
}
