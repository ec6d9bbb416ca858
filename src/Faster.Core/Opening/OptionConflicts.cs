namespace Faster.Opening;

/// <summary>
/// Rejects options that a store of the requested form cannot honor. An option is honored or rejected, never ignored;
/// one with its default value requests nothing. Every store honors a false
/// <see cref="CommittingStoreOptions.CommitOnDispose"/>. Thread-safe: no state.
/// </summary>
internal static class OptionConflicts
{
    private static readonly StoreOptions Default = new();

    // Options that need a log.
    private static readonly Option[] OfALog =
    [
        new(nameof(StoreOptions.Device), static o => o.Device),
        new(nameof(StoreOptions.DiskBudget), static o => o.DiskBudget),
        new(nameof(StoreOptions.CompactionThreads), static o => o.CompactionThreads),
        new(nameof(StoreOptions.PageSize), static o => o.PageSize),
        new(nameof(StoreOptions.ReadCacheFraction), static o => o.ReadCacheFraction),
        new(nameof(StoreOptions.MaxPendingPerSession), static o => o.MaxPendingPerSession),
    ];

    // Options that need a mutable region.
    private static readonly Option[] OfARegion =
        [new(nameof(StoreOptions.MutableFraction), static o => o.MutableFraction)];

    // Options that need operation logs.
    private static readonly Option[] OfOperationLogs =
    [
        new(nameof(StoreOptions.ReadsAwaitDurability), static o => o.ReadsAwaitDurability),
        new(nameof(StoreOptions.OperationLogSize), static o => o.OperationLogSize),
    ];

    // Options that need commits.
    private static readonly Option[] OfCommits =
    [
        new(nameof(StoreOptions.CommitEvery), static o => o.CommitEvery),
        new(nameof(StoreOptions.CommitEveryBytes), static o => o.CommitEveryBytes),
        new(nameof(StoreOptions.CommitKind), static o => o.CommitKind),
        new(nameof(StoreOptions.PendingOrder), static o => o.PendingOrder),
        new(nameof(StoreOptions.IndexCheckpointEveryBytes), static o => o.IndexCheckpointEveryBytes),
        new(nameof(StoreOptions.AllowClockRollback), static o => o.AllowClockRollback),
        new(nameof(StoreOptions.AllowOlderCommit), static o => o.AllowOlderCommit),
        .. OfOperationLogs,
        new(nameof(StoreOptions.Durability), static o => o.Durability),
    ];

    // Options that need a folder, which saves them: a later opening without a device uses them.
    private static readonly Option[] OfAFolder = [new(nameof(StoreOptions.SegmentSize), static o => o.SegmentSize)];

    // Options that need the log's own files.
    private static readonly Option[] OfFiles =
    [
        new(nameof(StoreOptions.UnbufferedIO), static o => o.UnbufferedIO),
        new(nameof(StoreOptions.IOMode), static o => o.IOMode),
    ];

    /// <summary>Rejects conflicting options before anything is accessed.</summary>
    /// <param name="options">The options, each within its range.</param>
    /// <param name="folder">The store's folder, or null.</param>
    /// <exception cref="StoreOpenException">Two options exclude each other; the message names both.</exception>
    /// <param name="owner">The type whose options these are, for messages.</param>
    public static void ThrowIfAny(StoreOptions options, string? folder, string owner = nameof(StoreOptions))
    {
        if (options.Durability != Durability.EachOperation)
        {
            Refuse(
                options, OfOperationLogs,
                $"{owner}.Durability is not EachOperation, and the store has no operation logs", "Set Durability",
                owner);
        }

        if (options.Allocator == RecordAllocatorKind.InMemory)
        {
            if (folder is not null)
            {
                throw new StoreOpenException(
                    $"StoreOptions.Allocator is InMemory, but the path '{folder}' is given: a store in memory only "
                    + "neither recovers from a folder nor commits to it. Use Hybrid or AppendOnly, or pass "
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
            Refuse(
                options, OfCommits, "the path is null, and a store without a folder can't commit", "Pass a path",
                owner);
            Refuse(options, OfAFolder, "the path is null, and the log has no files", "Pass a path", owner);
        }

        if (options.Device is not null)
            Refuse(options, OfFiles, "StoreOptions.Device replaces the log's files", "Remove Device", owner);
        else if (folder is null)
            Refuse(options, OfFiles, "the path is null, and the log has no files", "Pass a path", owner);
    }

    private static void Refuse(
        StoreOptions options, Option[] candidates, string reason, string remedy, string owner = nameof(StoreOptions))
    {
        foreach (Option option in candidates)
        {
            if (Equals(option.Value(options), option.Value(Default))) continue;
            throw new StoreOpenException(
                $"{owner}.{LogStoreOptions.NameOf(option.Name)} can't be honored: {reason}. {remedy}, or leave "
                + $"{option.Name} at its default.");
        }
    }

    private sealed record Option(string Name, Func<StoreOptions, object?> Value);
}
