namespace Faster.Engines.HotRing;

/// <summary>What sessions have done, summed up. Not thread-safe.</summary>
internal sealed class SessionFigures
{
    /// <summary>The records inserted, less those deleted.</summary>
    public long Records { get; set; }

    /// <summary>The operations whose memory accesses were counted.</summary>
    public long Operations { get; set; }

    /// <summary>Their memory accesses.</summary>
    public long Accesses { get; set; }

    /// <summary>The heads moved to hot items.</summary>
    public long Moves { get; set; }

    /// <summary>The rounds of sampling begun.</summary>
    public long Rounds { get; set; }

    /// <summary>Adds the figures of other sessions.</summary>
    public void Add(SessionFigures other)
    {
        Records += other.Records;
        Operations += other.Operations;
        Accesses += other.Accesses;
        Moves += other.Moves;
        Rounds += other.Rounds;
    }
}
