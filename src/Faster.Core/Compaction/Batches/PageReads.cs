using Faster.Compaction.Copying;
using Faster.Log;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Tiers;

namespace Faster.Compaction.Batches;

/// <summary>
/// Reads pages of a log, several at a time: whole ones in order, or those of records at ascending addresses, each once.
/// </summary>
/// <remarks>One user at a time, outside every epoch. Not thread-safe.</remarks>
internal sealed unsafe class PageReads : IDisposable
{
    private const int MaxPages = 32;

    private readonly PagedLog _log;
    private readonly Queue<Part> _parts = new(); // that have been begun, in ascending order
    private readonly PageCopy[] _pages;
    private readonly Task[] _fetches; // of whole pages
    private readonly Stack<PageCopy> _free;

    /// <summary>Prepares reads.</summary>
    /// <param name="tier">The tier with the log.</param>
    /// <param name="memory">The memory for pages, at the start of a system page; outlives this.</param>
    /// <param name="bytes">Its size; at least a page's on the device.</param>
    public PageReads(Tier tier, byte* memory, long bytes)
    {
        _log = tier.PagedLog!;
        long page = tier.Storage!.Geometry.PageStride;
        _pages = new PageCopy[(int)Math.Min(bytes / page, MaxPages)];
        for (int i = 0; i < _pages.Length; i++)
            _pages[i] = new PageCopy(tier.Core.Epochs, _log, tier.Storage, CopyThread.Owner, memory + (i * page));
        _fetches = new Task[_pages.Length];
        Array.Fill(_fetches, Task.CompletedTask);
        _free = new Stack<PageCopy>(_pages);
    }

    /// <summary>The number of pages that there is memory for.</summary>
    public int Count => _pages.Length;

    /// <summary>The memory of a page, for other use between runs.</summary>
    public PageCopy this[int page] => _pages[page];

    /// <summary>Begins to read a page, or a part of one.</summary>
    /// <param name="page">The number of the page in memory.</param>
    /// <param name="from">The first address.</param>
    /// <param name="until">The end of the range, if it lies in the page.</param>
    public void Fetch(int page, RecordBoundary from, long until) =>
        _fetches[page] = _pages[page].FetchAsync(from, until);

    /// <summary>Waits for a page.</summary>
    /// <returns>A walker before its first record; valid until the page's memory is used again.</returns>
    /// <exception cref="FasterException">The page can't be read, or is damaged.</exception>
    public RecordWalker Fetched(int page)
    {
        _fetches[page].GetAwaiter().GetResult();
        return _pages[page].Fetched(out _);
    }

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

    /// <summary>Waits until the device does not write to the memory any more.</summary>
    public void Dispose()
    {
        foreach (Task fetch in _fetches) Await(fetch);
        foreach (PageCopy page in _pages) page.Dispose();
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
        Await(part.Read);
        _free.Push(part.Page);
    }

    // Does not throw.
    private static void Await(Task read) => ((IAsyncResult)read).AsyncWaitHandle.WaitOne();

    private readonly record struct Part(PageCopy Page, long Start, int End, Task Read);
}
