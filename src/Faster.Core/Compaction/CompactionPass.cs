namespace Faster.Compaction;

/// <summary>
/// One pass of a <see cref="DiskBudgetCompactor"/> through the log: how far it goes, and whether it paid.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A pass goes through what was in the log when it began, up to the tail's page, and through nothing else: its
/// own copies lie above its end. They are nearly all live, so a pass that also went through them would be judged to
/// have freed less of the log than it has.</item>
/// <item>A pass that has ended is forgotten before the next begins.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
/// <param name="pageBits">The binary logarithm of the page size.</param>
/// <param name="minGain">The part of what it goes through that it must free to have paid: one of so many.</param>
internal sealed class CompactionPass(int pageBits, int minGain = 4)
{
    private long _end; // 0: none is under way

    /// <summary>The bytes of the log that the pass has reclaimed.</summary>
    public long Reclaimed { get; private set; }

    /// <summary>The bytes that it has copied.</summary>
    public long Copied { get; private set; }

    /// <summary>Whether it has freed at least its part of what it went through.</summary>
    public bool Pays => Reclaimed - Copied >= Reclaimed / minGain;

    /// <summary>Whether the pass that is under way has come to its end.</summary>
    /// <param name="begin">The begin of the log.</param>
    public bool IsOver(long begin) => _end != 0 && begin >= _end;

    /// <summary>Where the next step ends, at most: a page's start.</summary>
    /// <param name="limit">The address that the step may not go beyond.</param>
    public long StepEnd(long limit) => PageStartOf(_end == 0 ? limit : Math.Min(limit, _end));

    /// <summary>Begins a pass unless one is under way.</summary>
    /// <param name="tail">The tail of the log.</param>
    public void Begin(long tail)
    {
        if (_end == 0) _end = PageStartOf(tail);
    }

    /// <summary>Counts a step.</summary>
    /// <param name="reclaimed">The bytes of the log that it has reclaimed.</param>
    /// <param name="copied">The bytes that it has copied.</param>
    public void Count(long reclaimed, long copied) => (Reclaimed, Copied) = (Reclaimed + reclaimed, Copied + copied);

    /// <summary>Ends the pass.</summary>
    public void End() => (_end, Reclaimed, Copied) = (0, 0, 0);

    private long PageStartOf(long address) => address >> pageBits << pageBits;
}
