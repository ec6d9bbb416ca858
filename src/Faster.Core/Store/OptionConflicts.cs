namespace Faster;

/// <summary>
/// Refuses options that a store of the asked form can't honor. An option is honored or refused, never ignored; one that
/// has its default value asks for nothing. Thread-safe: no state.
/// </summary>
internal static class OptionConflicts
{
    private static readonly StoreOptions Default = new();

    // What only a log has.
    private static readonly Option[] OfALog =
    [
        new(nameof(StoreOptions.Device), static o => o.Device),
        new(nameof(StoreOptions.DiskBudget), static o => o.DiskBudget),
        new(nameof(StoreOptions.PageSize), static o => o.PageSize),
        new(nameof(StoreOptions.ReadCacheFraction), static o => o.ReadCacheFraction),
        new(nameof(StoreOptions.MaxPendingPerSession), static o => o.MaxPendingPerSession),
    ];

    // What only a mutable region has.
    private static readonly Option[] OfARegion =
        [new(nameof(StoreOptions.MutableFraction), static o => o.MutableFraction)];

    // What only a store that commits has.
    private static readonly Option[] OfCommits =
    [
        new(nameof(StoreOptions.CommitEvery), static o => o.CommitEvery),
        new(nameof(StoreOptions.CommitEveryBytes), static o => o.CommitEveryBytes),
        new(nameof(StoreOptions.CommitKind), static o => o.CommitKind),
        new(nameof(StoreOptions.PendingOrder), static o => o.PendingOrder),
        new(nameof(StoreOptions.IndexCheckpointEveryBytes), static o => o.IndexCheckpointEveryBytes),
        new(nameof(StoreOptions.ClockMayGoBack), static o => o.ClockMayGoBack),
        new(nameof(StoreOptions.FallBack), static o => o.FallBack),
    ];

    // What only a folder keeps: a later opening without a device goes by it.
    private static readonly Option[] OfAFolder = [new(nameof(StoreOptions.SegmentSize), static o => o.SegmentSize)];

    // What only the log's own files have.
    private static readonly Option[] OfFiles =
    [
        new(nameof(StoreOptions.UnbufferedIO), static o => o.UnbufferedIO),
        new(nameof(StoreOptions.Io), static o => o.Io),
    ];

    /// <summary>Refuses what the store could not honor, before anything is touched.</summary>
    /// <param name="options">Options, each in its range.</param>
    /// <param name="folder">The store's folder, or null.</param>
    /// <exception cref="StoreOpenException">Two of them exclude each other; the message names both.</exception>
    public static void ThrowIfAny(StoreOptions options, string? folder)
    {
        if (options.Allocator == RecordAllocatorKind.InMemory)
        {
            if (folder is not null)
            {
                throw new StoreOpenException(
                    $"StoreOptions.Allocator is InMemory, but the path '{folder}' is given: a store in memory only "
                    + "neither recovers what lies in a folder nor commits to it. Use Hybrid or AppendOnly, or pass "
                    + "null as the path.");
            }

            const string memory = "StoreOptions.Allocator is InMemory, and such a store has no log to apply it to";
            Refuse(
                options, [.. OfALog, .. OfARegion, .. OfCommits, .. OfAFolder, .. OfFiles], memory,
                "Use Hybrid or AppendOnly");
            return;
        }

        if (options.Allocator == RecordAllocatorKind.AppendOnly)
        {
            Refuse(
                options, OfARegion, "StoreOptions.Allocator is AppendOnly, and such a log has no mutable region",
                "Use Hybrid");
        }

        if (folder is null)
        {
            Refuse(options, OfCommits, "the path is null, and a store without a folder can't commit", "Pass a path");
            Refuse(options, OfAFolder, "the path is null, and the log has no files", "Pass a path");
        }

        if (options.Device is not null)
            Refuse(options, OfFiles, "StoreOptions.Device takes the place of the log's files", "Leave out Device");
        else if (folder is null)
            Refuse(options, OfFiles, "the path is null, and the log has no files", "Pass a path");
    }

    private static void Refuse(StoreOptions options, Option[] candidates, string reason, string remedy)
    {
        foreach (Option option in candidates)
        {
            if (Equals(option.Value(options), option.Value(Default))) continue;
            throw new StoreOpenException(
                $"StoreOptions.{option.Name} can't be honored: {reason}. {remedy}, or leave {option.Name} at its "
                + "default.");
        }
    }

    private sealed record Option(string Name, Func<StoreOptions, object?> Value);
}
