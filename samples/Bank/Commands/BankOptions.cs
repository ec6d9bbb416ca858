using Bank.Transfers;
using Faster;

namespace Bank.Commands;

/// <summary>What a run is asked for.</summary>
internal sealed record BankOptions
{
    /// <summary>How transfers become durable.</summary>
    public required Mode Mode { get; init; }

    /// <summary>How many accounts there are.</summary>
    public required int Accounts { get; init; }

    /// <summary>How many sessions transfer money at once, a thread each.</summary>
    public required int Sessions { get; init; }

    /// <summary>How long the run takes, without the checks after each kill.</summary>
    public required TimeSpan Duration { get; init; }

    /// <summary>About how long a process lives before it is killed; null: none is.</summary>
    public TimeSpan? KillEvery { get; init; }

    /// <summary>The interval of commits.</summary>
    public required TimeSpan CommitEvery { get; init; }

    /// <summary>The store's memory budget.</summary>
    public required ByteSize Memory { get; init; }

    /// <summary>Chooses transfers and kills.</summary>
    public required int Seed { get; init; }

    /// <summary>Whether each balance is compared, too.</summary>
    public bool Verify { get; init; }

    /// <summary>Whether the results are written as JSON.</summary>
    public bool Json { get; init; }

    /// <summary>The store's folder, which stays; null: a temporary one.</summary>
    public string? DataFolder { get; init; }

    /// <summary>The transfers.</summary>
    public TransferPlan Plan => new(Accounts, Seed);

    /// <summary>The options of the store.</summary>
    public TransactionalOptions StoreOptions => Mode.Apply(new()
    {
        MemoryBudget = Memory, ExpectedKeys = Accounts, CommitEvery = CommitEvery,
    });
}
