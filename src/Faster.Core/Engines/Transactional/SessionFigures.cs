namespace Faster.Engines.Transactional;

/// <summary>What sessions have done, summed up. Not thread-safe.</summary>
internal sealed class SessionFigures
{
    /// <summary>The records added, less those deleted.</summary>
    public long Records { get; set; }

    /// <summary>The transactions committed.</summary>
    public long Committed { get; set; }

    /// <summary>The transactions aborted by their methods.</summary>
    public long Aborted { get; set; }

    /// <summary>The attempts that have found a record locked.</summary>
    public long Conflicts { get; set; }

    /// <summary>Adds the figures of other sessions.</summary>
    public void Add(SessionFigures other)
    {
        Records += other.Records;
        Committed += other.Committed;
        Aborted += other.Aborted;
        Conflicts += other.Conflicts;
    }
}
