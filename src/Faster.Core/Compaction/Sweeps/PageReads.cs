using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Reads;

namespace Faster.Compaction.Sweeps;

/// <summary>Reads records at ascending addresses of a log: each page once, and the next ones meanwhile.</summary>
/// <remarks>One user at a time, outside every epoch. Not thread-safe.</remarks>
internal sealed unsafe class PageReads<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    /// <summary>The number of pages that there is memory for.</summary>
    public const int Pages = 3;

    private readonly PagedLog<TProbe> _log;
    private readonly Queue<Part> _parts = new(); // that have been begun, in ascending order
    private readonly PageCopy<TProbe>[] _pages;
    private readonly Stack<PageCopy<TProbe>> _free;

    /// <summary>Reserves memory.</summary>
    /// <param name="epochs">The epochs that protect the log.</param>
    /// <param name="log">The log.</param>
    /// <param name="storage">The log's place on the device.</param>
    /// <param name="owner">The reader's name, for the watchdog.</param>
    public PageReads(EpochTable<TProbe> epochs, PagedLog<TProbe> log, LogStorage storage, string owner)
    {
        _log = log;
        _pages = [.. Enumerable.Range(0, Pages).Select(_ => new PageCopy<TProbe>(epochs, log, storage, owner))];
        _free = new Stack<PageCopy<TProbe>>(_pages);
    }

    /// <summary>The memory of a page, for other use between runs.</summary>
    public PageCopy<TProbe> this[int page] => _pages[page];

    /// <summary>Reads records.</summary>
    /// <param name="count">How many.</param>
    /// <param name="addressOf">Returns the address of one by its index, in ascending order.</param>
    /// <param name="read">
    /// Called for each, in order: its index, and a pointer to it that is valid during the call.
    /// </param>
    /// <exception cref="FasterException">A page can't be read, or is damaged.</exception>
    public void Run(int count, Func<int, long> addressOf, Action<int, nint> read)
    {
        try
        {
            for (int at = 0, begun = 0; at < count;)
            {
                while (_free.Count != 0 && begun < count) begun = Begin(begun, count, addressOf);
                Part part = _parts.Peek();
                part.Read.GetAwaiter().GetResult();
                byte* bytes = part.Page.Loaded();
                for (; at < part.End; at++) read(at, (nint)(bytes + (addressOf(at) - part.Start)));
                _free.Push(_parts.Dequeue().Page);
            }
        }
        finally
        {
            while (_parts.TryDequeue(out Part part)) Abandon(part);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (PageCopy<TProbe> page in _pages) page.Dispose();
    }

    private int Begin(int from, int count, Func<int, long> addressOf)
    {
        long start = addressOf(from), end = _log.PageEndOf(start);
        int to = from + 1;
        while (to < count && addressOf(to) < end) to++;
        Task read = _free.Peek().LoadAsync(start, end);
        _parts.Enqueue(new Part(_free.Pop(), start, to, read));
        return to;
    }

    // The device may still write to the page.
    private void Abandon(in Part part)
    {
        ((IAsyncResult)part.Read).AsyncWaitHandle.WaitOne();
        _free.Push(part.Page);
    }

    private readonly record struct Part(PageCopy<TProbe> Page, long Start, int End, Task Read);
}
