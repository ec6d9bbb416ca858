namespace Faster.Hosting;

/// <summary>
/// What an application configures of a store, in the section <c>Faster:NAME</c> or in code. What is not set is as the
/// engine has it. All errors are reported together when the host starts; changes of the configuration after that have
/// no effect until the next start.
/// </summary>
/// <remarks>Not thread-safe; nothing changes it after the start.</remarks>
public sealed class FasterSettings
{
    /// <summary>
    /// The store's folder, required of engines that have one. Empty: the store is kept in memory only, which is meant
    /// for tests; the settings that need a folder then have no effect.
    /// </summary>
    public string? Path { get; set; }

    /// <inheritdoc cref="EngineOptions.MemoryBudget"/>
    public ByteSize? MemoryBudget { get; set; }

    /// <inheritdoc cref="EngineOptions.CloseTimeout"/>
    public TimeSpan? CloseTimeout { get; set; }

    /// <inheritdoc cref="LogStoreOptions.DiskBudget"/>
    public ByteSize? DiskBudget { get; set; }

    /// <inheritdoc cref="LogStoreOptions.ReadCacheFraction"/>
    public double? ReadCacheFraction { get; set; }

    /// <inheritdoc cref="LogStoreOptions.TimeToLive"/>
    public TimeSpan? TimeToLive { get; set; }

    /// <inheritdoc cref="CommittingStoreOptions.Durability"/>
    public Durability? Durability { get; set; }

    /// <inheritdoc cref="CommittingStoreOptions.CommitEvery"/>
    public TimeSpan? CommitEvery { get; set; }

    /// <inheritdoc cref="LogStoreOptions.CommitEveryBytes"/>
    public ByteSize? CommitEveryBytes { get; set; }

    /// <summary>
    /// How long the start waits for another process that has the folder open, such as the old one of a rolling restart.
    /// </summary>
    public TimeSpan WaitForFolder { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long work may wait for a commit until health is degraded, in a store with <see cref="CommitEvery"/>.
    /// </summary>
    public TimeSpan CommitDelayLimit { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Whether the application stops when the store takes no more updates (<see cref="EngineStatistics.IsPoisoned"/>),
    /// for a supervisor to start it again.
    /// </summary>
    public bool StopWhenPoisoned { get; set; }

    /// <summary>
    /// Changes the options that have no setting, in code: called with those that the settings have made, of the
    /// engine's own type.
    /// </summary>
    public Func<EngineOptions, EngineOptions>? Options { get; set; }

    /// <summary>What in the configuration could not be read.</summary>
    internal List<string> Errors { get; } = [];

    /// <summary>Whether the store is kept in memory only.</summary>
    internal bool IsInMemory => string.IsNullOrEmpty(Path);
}
