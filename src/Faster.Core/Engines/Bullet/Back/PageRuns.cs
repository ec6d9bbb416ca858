using System.Numerics;

namespace Faster.Engines.Bullet.Back;

/// <summary>The pages of a part's heap in runs: free ones in lists by length, which grow together as they are freed.
/// </summary>
/// <remarks>
/// <para>Invariants, of the words as a batch leaves them:</para>
/// <list type="bullet">
/// <item>The runs of an area follow each other from its begin to its end. Each begins with its shape.</item>
/// <item>No two free runs are neighbors. A run says how long the free run right before it is.</item>
/// <item>A free run is in the list of its length, and in no other.</item>
/// </list>
/// <para>Not thread-safe: it belongs to the holder of a part.</para>
/// </remarks>
/// <param name="words">The words of the part's batch.</param>
/// <param name="space">Where the part lies.</param>
internal sealed class PageRuns(StagedWords words, PartSpace space)
{
    private const int Exact = 16, ExactBits = 4;

    /// <summary>The list of free runs of a number of pages.</summary>
    public static int BinOf(long pages)
    {
        if (pages < Exact) return (int)pages;
        int power = BitOperations.Log2((ulong)pages);
        return Exact + ((power - ExactBits) * 4) + (int)((pages >> (power - 2)) & 3);
    }

    /// <summary>Takes a run of pages.</summary>
    /// <returns>Its offset; 0 if no free run is long enough, and nothing is staged.</returns>
    public long Allocate(SpanKind kind, int sizeClass, long pages)
    {
        long run = FindFree(pages);
        if (run == 0) return 0;
        long found = PagesOf(run), rest = found - pages;
        Unlink(run, BinAt(found));
        if (rest != 0)
        {
            long at = run + (pages * BackLayout.PageBytes);
            words.Stage(at + Span.BeforeAt, 0);
            AddFree(at, rest);
        }
        else SetBefore(run, found, 0);

        words.Stage(run + Span.ShapeAt, Span.ShapeOf(kind, sizeClass, pages));
        words.Add(space.Page + BackLayout.FreePagesAt, -pages);
        return run;
    }

    /// <summary>Frees a run, and joins it with its free neighbors.</summary>
    public void Free(long run)
    {
        long pages = PagesOf(run), before = words.Read(run + Span.BeforeAt);
        words.Add(space.Page + BackLayout.FreePagesAt, pages);
        long after = run + (pages * BackLayout.PageBytes);
        if (after < space.EndOf(run) && Span.KindOf(words.Read(after)) == SpanKind.Free)
        {
            long length = PagesOf(after);
            Unlink(after, BinAt(length));
            pages += length;
        }

        if (before != 0)
        {
            run -= before * BackLayout.PageBytes;
            Unlink(run, BinAt(before));
            pages += before;
        }

        AddFree(run, pages);
    }

    /// <summary>Takes in the pages of an area.</summary>
    public void AddArea(long begin, long end)
    {
        long pages = (end - begin) / BackLayout.PageBytes;
        if (pages <= 0) return;
        words.Stage(begin + Span.BeforeAt, 0);
        AddFree(begin, pages);
        words.Add(space.Page + BackLayout.FreePagesAt, pages);
    }

    /// <summary>Puts a run first into a list.</summary>
    /// <param name="run">The run.</param>
    /// <param name="headAt">Where the offset of the list's first run is.</param>
    public void Link(long run, long headAt)
    {
        long first = words.Read(headAt);
        words.Stage(run + Span.NextAt, first);
        words.Stage(run + Span.PreviousAt, 0);
        if (first != 0) words.Stage(first + Span.PreviousAt, run);
        words.Stage(headAt, run);
    }

    /// <summary>Takes a run out of a list.</summary>
    /// <inheritdoc cref="Link"/>
    public void Unlink(long run, long headAt)
    {
        long next = words.Read(run + Span.NextAt), previous = words.Read(run + Span.PreviousAt);
        words.Stage(previous == 0 ? headAt : previous + Span.NextAt, next);
        if (next != 0) words.Stage(next + Span.PreviousAt, previous);
    }

    private long BinAt(long pages) => space.Page + BackLayout.BinsAt + (BinOf(pages) * sizeof(long));

    private long PagesOf(long run) => Span.PagesOf(words.Read(run + Span.ShapeAt));

    // Runs of one list may differ by a quarter in length; those of the next lists are all long enough.
    private long FindFree(long pages)
    {
        for (long run = words.Read(BinAt(pages)); run != 0; run = words.Read(run + Span.NextAt))
        {
            if (PagesOf(run) >= pages) return run;
        }

        for (int bin = BinOf(pages) + 1; bin < BackLayout.Bins; bin++)
        {
            long run = words.Read(space.Page + BackLayout.BinsAt + (bin * sizeof(long)));
            if (run != 0) return run;
        }

        return 0;
    }

    private void AddFree(long run, long pages)
    {
        words.Stage(run + Span.ShapeAt, Span.ShapeOf(SpanKind.Free, 0, pages));
        Link(run, BinAt(pages));
        SetBefore(run, pages, pages);
    }

    private void SetBefore(long run, long pages, long before)
    {
        long after = run + (pages * BackLayout.PageBytes);
        if (after < space.EndOf(run)) words.Stage(after + Span.BeforeAt, before);
    }
}
