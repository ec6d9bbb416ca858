using Faster.Engines.Transactional.Redo;
using Faster.Opening;

namespace Faster;

/// <summary>Options for opening a store of the transactional engine. The defaults suit a small service.</summary>
public sealed record TransactionalOptions : CommittingStoreOptions
{
    /// <summary>Makes the default options, with a <see cref="EngineOptions.CloseTimeout"/> of 10 seconds.</summary>
    public TransactionalOptions() => CloseTimeout = TimeSpan.FromSeconds(10);

    /// <summary>The smallest <see cref="EngineOptions.MemoryBudget"/> that a store can work with: 512 KiB.</summary>
    public static ByteSize MinMemoryBudget => ByteSize.KiB(512);

    /// <summary>The number of keys to size the index for; 0 for a small index that grows on its own.</summary>
    public long ExpectedKeys { get; init; }

    /// <summary>
    /// How often a transaction is tried before it ends as <see cref="TransactionStatus.Conflicted"/>; 0: until it is
    /// done, or no progress is made for 30 seconds.
    /// </summary>
    public int MaxAttempts { get; init; }

    /// <summary>
    /// How commits decide which transactions they hold; a store in memory only works the same way. A store may be
    /// opened with another value than before.
    /// </summary>
    public CommitAlgorithm CommitAlgorithm { get; init; }

    /// <summary>
    /// Whether reads, and transactions that only read, lock their records as in the paper. By default they copy the
    /// values and check afterwards that these were there together; after four attempts in vain they lock.
    /// </summary>
    public bool ReadsLock { get; init; }

    /// <summary>
    /// The size of the operation log, on disk and in memory, of which it is a part of
    /// <see cref="EngineOptions.MemoryBudget"/>, at least 64 KiB; 0 for a quarter of the budget, at most 1 GiB. What
    /// one transaction changes may take a quarter of it. For stores with <see cref="Durability.EachOperation"/> or
    /// <see cref="Durability.Periodic"/>.
    /// </summary>
    public ByteSize OperationLogSize { get; init; }

    /// <summary>The operation log that the options ask for.</summary>
    internal OperationLogShape LogShape => Durability == Durability.Commits
        ? default
        : OperationLogShape.Of(RedoLogs.Count, OperationLogSize, MemoryBudget);

    internal void Validate()
    {
        if (MemoryBudget < MinMemoryBudget)
            throw OutOfRange(nameof(MemoryBudget), MemoryBudget, $"at least {MinMemoryBudget}");
        if (MemoryBudget > ByteSize.GiB(1 << 16))
            throw OutOfRange(nameof(MemoryBudget), MemoryBudget, "at most 64 TiB");
        if (ExpectedKeys < 0) throw OutOfRange(nameof(ExpectedKeys), ExpectedKeys, "0 or more");
        if (MaxAttempts < 0) throw OutOfRange(nameof(MaxAttempts), MaxAttempts, "0 or more");
        if (!HasValidInterval) throw OutOfRange(nameof(CommitEvery), CommitEvery, "from zero to 40 days");
        if (!Enum.IsDefined(CommitAlgorithm))
            throw OutOfRange(nameof(CommitAlgorithm), CommitAlgorithm, "one of its values");
        if (!Enum.IsDefined(Durability)) throw OutOfRange(nameof(Durability), Durability, "one of its values");
        if (!OperationLogShape.IsValid(OperationLogSize, MemoryBudget))
            throw OutOfRange(nameof(OperationLogSize), OperationLogSize, OperationLogShape.ValidSizes);
        if (CloseTimeout <= TimeSpan.Zero) throw OutOfRange(nameof(CloseTimeout), CloseTimeout, "above zero");
    }

    private static ArgumentOutOfRangeException OutOfRange(string option, object value, string expected) =>
        new(option, value, $"TransactionalOptions.{option} must be {expected}.");
}
