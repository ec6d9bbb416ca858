using Faster.Persistence;

namespace Faster.Engines.Bullet.Back;

/// <summary>Checks one part that its holder does not change meanwhile.</summary>
/// <remarks>
/// Every page is in one run; every block is in use by one entry, or in one list of free ones, or was never given out;
/// every list has what it should; counts agree. Keys are compared within a bucket. Not thread-safe.
/// </remarks>
/// <param name="region">The region.</param>
/// <param name="space">Where the part lies.</param>
internal sealed class BackVerifier(PersistentRegion region, PartSpace space)
{
    private readonly StagedWords _words = new(region, 1); // reads, and checks offsets
    private readonly Dictionary<long, long> _shapes = []; // of runs that are not free
    private readonly HashSet<long> _free = []; // runs
    private readonly HashSet<long> _blocks = []; // in use, or in a list of free ones
    private readonly Dictionary<long, int> _used = []; // by span

    /// <summary>Runs all checks.</summary>
    /// <exception cref="DamagedDataException">Something is wrong.</exception>
    public void Run()
    {
        long areas = PartWord(BackLayout.AreasAt);
        Require(areas == space.Areas.Length, space.Page + BackLayout.AreasAt, "an area is not in the heap");
        foreach ((long begin, long end) in space.Areas) WalkRuns(begin, end);
        WalkBins();
        WalkBuckets();
        foreach ((long span, long shape) in _shapes)
        {
            if (Span.KindOf(shape) == SpanKind.Blocks) CheckSpan(span, Span.ClassOf(shape));
            else Require(_used.GetValueOrDefault(span) == 1, span, "a run is used by nothing, or twice");
        }

        WalkClasses();
    }

    private void WalkRuns(long begin, long end)
    {
        long before = 0;
        for (long run = begin; run < end;)
        {
            long shape = _words.Read(run), pages = Span.PagesOf(shape);
            SpanKind kind = Span.KindOf(shape);
            Require(
                kind is not SpanKind.None and <= SpanKind.Segment && pages > 0
                    && pages <= (end - run) / BackLayout.PageBytes, run, "no run of pages begins where one ends");
            Require(_words.Read(run + Span.BeforeAt) == before, run, "a run does not know the free one before it");
            Require(kind != SpanKind.Free || before == 0, run, "two free runs are neighbors");
            if (kind == SpanKind.Free) _free.Add(run);
            else _shapes.Add(run, shape);
            before = kind == SpanKind.Free ? pages : 0;
            run += pages * BackLayout.PageBytes;
        }
    }

    private void WalkBins()
    {
        long pages = 0;
        for (int bin = 0; bin < BackLayout.Bins; bin++)
        {
            foreach (long run in List(space.Page + BackLayout.BinsAt + (bin * sizeof(long))))
            {
                Require(_free.Remove(run), run, "a run is in a list of free ones twice, or is not free");
                long length = Span.PagesOf(_words.Read(run));
                Require(PageRuns.BinOf(length) == bin, run, "a free run is in the list of another length");
                pages += length;
            }
        }

        Require(_free.Count == 0, space.Page, "a free run is in no list");
        Require(pages == PartWord(BackLayout.FreePagesAt), space.Page, "the number of free pages is wrong");
    }

    private void WalkBuckets()
    {
        long count = PartWord(BackLayout.BucketsAt), entries = 0, tombstones = 0;
        Require(count is >= BackLayout.FirstBuckets and <= BackLayout.MaxBuckets, space.Page, "no number of buckets");
        int segments = BackBuckets.SegmentOf(count - 1).Segment + 1;
        for (int i = 0; i < segments; i++)
        {
            long segment = PartWord(BackLayout.SegmentsAt + (i * sizeof(long))) - Span.HeaderBytes;
            Require(
                Span.KindOf(_shapes.GetValueOrDefault(segment)) == SpanKind.Segment, segment, "no segment of buckets");
            Use(segment);
        }

        var buckets = new BackBuckets(_words, new RegionHeap(_words, space), space.Page);
        var keys = new HashSet<string>(StringComparer.Ordinal);
        for (long bucket = 0; bucket < count; bucket++)
        {
            keys.Clear();
            for (long at = _words.Read(buckets.HeadAt(bucket)); at != 0; at = _words.Read(at + BackEntry.NextAt))
            {
                BackEntry entry = _words.EntryAt(at);
                CheckEntry(at, entry);
                Require(BackBuckets.BucketOf(entry.Hash, count) == bucket, at, "an entry is in another hash's bucket");
                Require(keys.Add(Convert.ToHexString(entry.Key)), at, "two entries have one key");
                if (entry.IsTombstone) tombstones++;
                else entries++;
            }
        }

        Require(entries == PartWord(BackLayout.EntriesAt), space.Page, "the number of entries is wrong");
        Require(tombstones == PartWord(BackLayout.TombstonesAt), space.Page, "the number of tombstones is wrong");
    }

    private void CheckEntry(long at, BackEntry entry)
    {
        long span = ((at / BackLayout.PageBytes) - entry.PagesBack) * BackLayout.PageBytes;
        long shape = _shapes.GetValueOrDefault(span), offset = at - span - Span.HeaderBytes;
        bool fits = Span.KindOf(shape) switch
        {
            SpanKind.Large => offset == 0
                && entry.Bytes + Span.HeaderBytes <= Span.PagesOf(shape) * BackLayout.PageBytes,
            SpanKind.Blocks => IsBlock(span, Span.ClassOf(shape), at)
                && SizeClasses.Of((int)Math.Min(entry.Bytes, SizeClasses.Largest)) == Span.ClassOf(shape),
            _ => false,
        };
        Require(fits && entry.Counter > 0, at, "an entry is in no block of its size");
        Require(_blocks.Add(at), at, "two words lead to one entry");
        Use(span);
    }

    private void CheckSpan(long span, int sizeClass)
    {
        long use = _words.Read(span + Span.UsedAt);
        int free = 0;
        for (long block = _words.Read(span + Span.FreeAt); block != 0; block = _words.Read(block + BackEntry.NextAt))
        {
            Require(IsBlock(span, sizeClass, block), block, "a list of free blocks leads to none");
            Require(_blocks.Add(block), block, "a free block is in use, or free twice");
            free++;
        }

        int used = Span.UsedOf(use);
        Require(
            used > 0 && used == _used.GetValueOrDefault(span) && used + free == Span.GivenOf(use), span,
            "the numbers of blocks of a span are wrong");
        if (used == SizeClasses.BlocksOf(sizeClass)) _ = _shapes.Remove(span); // the others are in lists
    }

    private void WalkClasses()
    {
        var open = _shapes.Where(static pair => Span.KindOf(pair.Value) == SpanKind.Blocks)
            .ToDictionary(static pair => pair.Key, static pair => Span.ClassOf(pair.Value));
        for (int i = 0; i < SizeClasses.Count; i++)
        {
            foreach (long span in List(space.Page + BackLayout.ClassesAt + (i * sizeof(long))))
                Require(open.Remove(span, out int found) && found == i, span, "a span is in the wrong list");
        }

        Require(open.Count == 0, space.Page, "a span with free blocks is in no list");
    }

    private IEnumerable<long> List(long headAt)
    {
        long previous = 0;
        for (long run = _words.Read(headAt); run != 0; run = _words.Read(run + Span.NextAt))
        {
            Require(_words.Read(run + Span.PreviousAt) == previous, run, "a list does not lead back");
            yield return run;
            previous = run;
        }
    }

    private bool IsBlock(long span, int sizeClass, long block)
    {
        long offset = block - span - Span.HeaderBytes, size = SizeClasses.BytesOf(sizeClass);
        return offset >= 0 && offset % size == 0
            && offset / size < Span.GivenOf(_words.Read(span + Span.UsedAt))
            && offset / size < SizeClasses.BlocksOf(sizeClass);
    }

    private void Use(long span) => _used[span] = _used.GetValueOrDefault(span) + 1;

    private long PartWord(int at) => _words.Read(space.Page + at);

    private void Require(bool holds, long offset, string what)
    {
        if (!holds) _words.ThrowDamaged(offset, what);
    }
}
