using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Faster.DurableTask;

/// <summary>How a hub is opened. Immutable.</summary>
public sealed record DurableHubOptions
{
    /// <summary>The most partitions of a hub.</summary>
    public const int MaxPartitions = 1024;

    /// <summary>The most characters of an instance's id.</summary>
    public const int MaxInstanceIdLength = 512;

    /// <summary>
    /// The number of partitions of a new hub; 0: one, or those of the hub that exists. It is fixed when the hub is
    /// created: another number is refused. 0 to 1,024.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is out of range.</exception>
    public int Partitions
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MaxPartitions);
            field = value;
        }
    }

    /// <summary>
    /// The options of each partition's store. Its session, commits and clock are the partition's, so
    /// <see cref="LogStoreOptions.TimeProvider"/> is replaced by <see cref="TimeProvider"/>.
    /// </summary>
    public StoreOptions Store { get; init; } = new();

    /// <summary>The clock of timers, delayed signals and scheduled starts.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>
    /// How many idle instances each partition keeps in memory, with the execution that continues without a replay.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public int CachedInstances
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    } = 10_000;

    /// <summary>
    /// Whether an orchestration continues where its last work item left it, while it is in memory, instead of being
    /// replayed. Turn it off for workers behind a middleware that expects the whole history each time.
    /// </summary>
    public bool ExtendedSessions { get; init; } = true;

    /// <summary>Whether entities have a queue, and a dispatcher, of their own.</summary>
    public bool SeparateEntities { get; init; } = true;

    /// <summary>How many orchestrations, and how many entities, run at once.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is not positive.</exception>
    public int MaxConcurrentOrchestrations
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            field = value;
        }
    } = 100;

    /// <summary>How many activities run at once.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is not positive.</exception>
    public int MaxConcurrentActivities
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            field = value;
        }
    } = 100;

    /// <summary>
    /// How long instances that have ended are kept, by their time of completion; null: until they are purged.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The time is not positive.</exception>
    public TimeSpan? Retention
    {
        get;
        init
        {
            if (value is { } time) ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(time, TimeSpan.Zero);
            field = value;
        }
    }

    /// <summary>Receives the logs of partitions that fail, recover or set a message aside.</summary>
    public ILoggerFactory LoggerFactory { get; init; } = NullLoggerFactory.Instance;
}
