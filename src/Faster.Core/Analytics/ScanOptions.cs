namespace Faster;

/// <summary>What a scan of the log goes over (paper 000, App. F).</summary>
public sealed record ScanOptions
{
    /// <summary>The least that <see cref="TableMemory"/> may be.</summary>
    public static ByteSize LeastTableMemory { get; } = ByteSize.KiB(4);

    /// <summary>Which records are given.</summary>
    public ScanScope Scope { get; init; } = ScanScope.Live;

    /// <summary>
    /// The commit whose state is scanned, exactly; null for what the store holds now. Those that can be are listed by
    /// the store's <c>ScannableCommits</c>: those since whose time no part of the log was given up, and of snapshot and
    /// incremental commits the last two, for their snapshots go with the second commit after them.
    /// </summary>
    public Commit? AsOf { get; init; }

    /// <summary>
    /// The most memory for the table of keys by which the live records are told, beside the buffer of one page. The
    /// log is read once for each table that is filled, so that twice the memory may halve the time. In stores whose
    /// updates merge half of it is for values of which not all parts have been met. At least
    /// <see cref="LeastTableMemory"/>.
    /// </summary>
    public ByteSize TableMemory { get; init; } = ByteSize.MiB(64);

    internal void Validate()
    {
        if (TableMemory < LeastTableMemory)
        {
            throw new ArgumentOutOfRangeException(
                nameof(TableMemory), TableMemory, $"ScanOptions.TableMemory must be at least {LeastTableMemory}.");
        }

        if (!Enum.IsDefined(Scope))
            throw new ArgumentOutOfRangeException(nameof(Scope), Scope, "ScanOptions.Scope must be Live or All.");
    }
}
