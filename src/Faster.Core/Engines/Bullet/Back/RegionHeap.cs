using Faster.Invariants;

namespace Faster.Engines.Bullet.Back;

/// <summary>
/// The memory of a part: blocks of size classes in spans of pages, and larger blocks as runs of pages.
/// </summary>
/// <remarks>
/// <para>All of its state is words in the region, changed through batches: nothing is rebuilt when a region is opened,
/// and a batch that is dropped has allocated nothing.</para>
/// <para>Invariants, of the words as a batch leaves them:</para>
/// <list type="bullet">
/// <item>A block is in use, or in its span's list of free ones, or was never given out, and one of these.</item>
/// <item>A span is in the list of its class if and only if it has a block that is not in use.</item>
/// <item>A span of which no block is in use does not exist: it is a free run, for any class or size.</item>
/// </list>
/// <para>A block that a batch frees must not be allocated in the same batch, since a crash may undo the batch: the
/// caller frees when it has allocated all that it needs. Not thread-safe: it belongs to the holder of a part.</para>
/// </remarks>
/// <param name="words">The words of the part's batch.</param>
/// <param name="space">Where the part lies.</param>
internal sealed class RegionHeap(StagedWords words, PartSpace space)
{
    /// <summary>The most words that an allocation stages.</summary>
    public const int AllocateWords = 20;

    /// <summary>The most words that it takes to free a block.</summary>
    public const int FreeWords = 20;

    private readonly PageRuns _runs = new(words, space);

    /// <summary>Takes in an area.</summary>
    public void AddArea((long Begin, long End) area) => _runs.AddArea(area.Begin, area.End);

    /// <summary>Takes a block.</summary>
    /// <param name="bytes">Its size.</param>
    /// <param name="pagesBack">How many pages before the block's own its span begins.</param>
    /// <returns>Its offset; 0 if there is no space, and nothing is staged.</returns>
    public long Allocate(long bytes, out int pagesBack)
    {
        pagesBack = 0;
        if (bytes > SizeClasses.Largest) return AllocateRun(bytes, SpanKind.Large);
        int sizeClass = SizeClasses.Of((int)bytes);
        long headAt = ClassAt(sizeClass), span = words.Read(headAt);
        if (span == 0)
        {
            span = _runs.Allocate(SpanKind.Blocks, sizeClass, SizeClasses.PagesOf(sizeClass));
            if (span == 0) return 0;
            words.Stage(span + Span.UsedAt, 0);
            words.Stage(span + Span.FreeAt, 0);
            _runs.Link(span, headAt);
        }

        long block = Take(span, sizeClass);
        pagesBack = (int)((block / BackLayout.PageBytes) - (span / BackLayout.PageBytes));
        return block;
    }

    /// <summary>Takes a run of pages for buckets.</summary>
    /// <returns>The offset of its bytes; 0 if there is no space, and nothing is staged.</returns>
    public long AllocateSegment(long bytes) => AllocateRun(bytes, SpanKind.Segment);

    /// <summary>Frees a block.</summary>
    /// <param name="block">Its offset.</param>
    /// <param name="pagesBack">As it was allocated.</param>
    public void Free(long block, int pagesBack)
    {
        long span = ((block / BackLayout.PageBytes) - pagesBack) * BackLayout.PageBytes;
        long shape = words.Read(span + Span.ShapeAt);
        if (Span.KindOf(shape) == SpanKind.Large)
        {
            _runs.Free(span);
            return;
        }

        Invariant.Check(
            Span.KindOf(shape) == SpanKind.Blocks, $"block {block} lies in a span, not in a run of shape {shape}");
        int sizeClass = Span.ClassOf(shape);
        long use = words.Read(span + Span.UsedAt), headAt = ClassAt(sizeClass);
        int used = Span.UsedOf(use), blocks = SizeClasses.BlocksOf(sizeClass);
        if (used == 1)
        {
            if (blocks != 1) _runs.Unlink(span, headAt);
            _runs.Free(span);
            return;
        }

        words.Stage(block + BackEntry.NextAt, words.Read(span + Span.FreeAt));
        words.Stage(span + Span.FreeAt, block);
        words.Stage(span + Span.UsedAt, Span.UseOf(used - 1, Span.GivenOf(use)));
        if (used == blocks) _runs.Link(span, headAt);
    }

    private long AllocateRun(long bytes, SpanKind kind)
    {
        long pages = (bytes + Span.HeaderBytes + BackLayout.PageBytes - 1) / BackLayout.PageBytes;
        long run = _runs.Allocate(kind, 0, pages);
        return run == 0 ? 0 : run + Span.HeaderBytes;
    }

    private long Take(long span, int sizeClass)
    {
        long use = words.Read(span + Span.UsedAt), block = words.Read(span + Span.FreeAt);
        int used = Span.UsedOf(use) + 1, given = Span.GivenOf(use);
        if (block != 0) words.Stage(span + Span.FreeAt, words.Read(block + BackEntry.NextAt));
        else block = span + Span.HeaderBytes + ((long)given++ * SizeClasses.BytesOf(sizeClass));
        words.Stage(span + Span.UsedAt, Span.UseOf(used, given));
        if (used == SizeClasses.BlocksOf(sizeClass)) _runs.Unlink(span, ClassAt(sizeClass));
        return block;
    }

    private long ClassAt(int sizeClass) => space.Page + BackLayout.ClassesAt + (sizeClass * sizeof(long));
}
