namespace Faster;

/// <summary>Options of a scan of the log (paper 000, App. F).</summary>
public sealed record ScanOptions
{
    /// <summary>The smallest allowed <see cref="TableMemory"/>: 4 KiB.</summary>
    public static ByteSize MinTableMemory { get; } = ByteSize.KiB(4);

    /// <summary>The records that the scan returns.</summary>
    public ScanScope Scope { get; init; } = ScanScope.Live;

    /// <summary>
    /// The commit whose exact state is scanned; null for the current state. The store's <c>ScannableCommits</c> lists
    /// the available commits: the last two, and those before them since which the log has not been truncated. Of
    /// snapshot and incremental commits only the last two are available, because their snapshots are deleted with the
    /// second commit after them.
    /// </summary>
    public Commit? AsOf { get; init; }

    /// <summary>
    /// Maximum memory for the key table that identifies live records, in addition to one page buffer. The log is read
    /// once for each full table, so doubling the memory may halve the time. In mergeable stores half of it is for
    /// values of which only deltas have been found so far. At least <see cref="MinTableMemory"/>; less than 1 MiB
    /// counts as 1 MiB, or as a sixteenth of the log if that is less.
    /// </summary>
    public ByteSize TableMemory { get; init; } = ByteSize.MiB(64);

    internal void Validate()
    {
        if (TableMemory < MinTableMemory)
        {
            throw new ArgumentOutOfRangeException(
                nameof(TableMemory), TableMemory, $"ScanOptions.TableMemory must be at least {MinTableMemory}.");
        }

        if (!Enum.IsDefined(Scope))
            throw new ArgumentOutOfRangeException(nameof(Scope), Scope, "ScanOptions.Scope must be Live or All.");
    }
}
