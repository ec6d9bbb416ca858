using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Log.Reads;

namespace Faster.HashChunks;

/// <summary>
/// Brings chunks to the tail of the chunk log in the order of their addresses, a page of the log at a time, before they
/// are changed: compaction changes many chunks, and most of them are on disk.
/// </summary>
/// <remarks>
/// <para>One read of up to a page takes the place of a read for each chunk, and the next pages are read meanwhile. A
/// page of which few chunks are wanted is left to those reads, which run many at a time: a disk gives some ten thousand
/// bytes more in the time of a further small read, so what counts as few grows with the page.</para>
/// <para>A page that can't be read, or that a compaction of the chunk log has truncated meanwhile, brings nothing; the
/// changes then read their chunks alone, and get the error if there is one.</para>
/// </remarks>
internal sealed unsafe class ChunkSweep : IEntrySweep
{
    /// <summary>The number of pages of the chunk log that a sweep has memory for.</summary>
    public const int Pages = 4;

    private const int LeastChanges = 2, BytesOfChange = 16 << 10;
    private const string Owner = "compaction's changes of hash chunks";

    private readonly ChunkIndex _index;
    private readonly int _minChanges; // of a page that is read
    private readonly Queue<Part> _parts = new(); // that have been begun, in ascending order
    private readonly Stack<PageCopy> _free = new();

    /// <summary>Reserves memory for some pages of the chunk log.</summary>
    /// <param name="index">The index.</param>
    public ChunkSweep(ChunkIndex index)
    {
        _index = index;
        _minChanges = LeastChanges + (int)(index.Log.Pages.PageSize / BytesOfChange);
        for (int i = 0; i < Pages; i++)
            _free.Push(new PageCopy(index.Epochs, index.Log.Pages, index.Log.Storage, Owner));
    }

    /// <inheritdoc/>
    /// <remarks>
    /// The address of the chunk's newest record, negative if there is a copy of it; 0: it has none.
    /// </remarks>
    public long PlaceOf(ulong hash)
    {
        long chunk = _index.ChunkOf(hash), at = _index.Directory.AddressOf(chunk);
        return _index.IsStaged(chunk, at) ? -at : at;
    }

    /// <inheritdoc/>
    public void Run(ReadOnlySpan<long> places, Action<int, int> change)
    {
        try
        {
            for (int at = 0, begun = 0; at < places.Length;)
            {
                while (_parts.Count < Pages && begun < places.Length) begun += Begin(places[begun..]);
                Part part = _parts.Dequeue();
                End(part, places.Slice(at, part.Count));
                change(at, at + part.Count);
                at += part.Count;
            }
        }
        finally
        {
            while (_parts.TryDequeue(out Part part)) End(part, default); // the device may still write to the pages
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (PageCopy page in _free) page.Dispose();
    }

    // Begins to read the first places that lie in one page, and returns how many they are.
    private int Begin(ReadOnlySpan<long> places)
    {
        (long first, long head) = (places[0], _index.Log.Pages.HeadAddress);
        bool isOnDisk = first > 0 && first < head;
        int count = !isOnDisk && first > 0 ? places.Length
            : CountBelow(places, isOnDisk ? Math.Min(_index.Log.Pages.PageEndOf(first), head) : 1);
        PageCopy? page = isOnDisk && count >= _minChanges ? _free.Pop() : null;
        Task? read = page?.LoadAsync(first, places[count - 1] + _index.Log.RecordBytes);
        _parts.Enqueue(new Part(count, page, read));
        return count;
    }

    private void End(in Part part, ReadOnlySpan<long> places)
    {
        if (part.Page is null) return;
        _free.Push(part.Page);
        try
        {
            part.Read!.GetAwaiter().GetResult();
            if (!places.IsEmpty) Bring(places, part.Page.Loaded());
        }
        catch (FasterException)
        {
            // The changes will tell.
        }
    }

    private void Bring(ReadOnlySpan<long> places, byte* bytes)
    {
        EpochSlot* slot = _index.Epochs.Acquire(Owner);
        try
        {
            _index.Epochs.Enter(slot);
            long last = 0;
            foreach (long place in places)
            {
                if (place == last) continue;
                if (!_index.TryBring(place, bytes + (place - places[0]))) break;
                last = place;
            }

            _index.Epochs.Leave(slot);
        }
        finally
        {
            _index.Epochs.Release(slot);
        }
    }

    private static int CountBelow(ReadOnlySpan<long> places, long end)
    {
        int count = 0;
        while (count < places.Length && places[count] < end) count++;
        return count;
    }

    // Places in one page of the log, and the page's copy; null where they need none.
    private readonly record struct Part(int Count, PageCopy? Page, Task? Read);
}
