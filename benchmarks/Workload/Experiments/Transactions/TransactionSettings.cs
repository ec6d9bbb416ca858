using System.Text.Json.Serialization;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>What is measured of one engine, in a process of its own.</summary>
internal sealed record TransactionSettings
{
    /// <summary>How many keys are loaded, 8 bytes each, with values of 8 bytes.</summary>
    public required int Keys { get; init; }

    /// <summary>What is measured, in turn.</summary>
    public required IReadOnlyList<TransactionCell> Cells { get; init; }

    /// <summary>How long each cell is measured, in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>How long it runs before that.</summary>
    public required double WarmUpSeconds { get; init; }

    /// <summary>When commits begin, in seconds: then throughput over time is measured.</summary>
    public IReadOnlyList<double> CommitTimes { get; init; } = [];

    /// <summary>How many commits are measured, each beside as long a time without one; 0: none.</summary>
    public int Commits { get; init; }

    /// <summary>Whether the time of transactions is divided into its parts.</summary>
    public bool HasBreakdown { get; init; }

    /// <summary>The time between two points of a timeline, in seconds.</summary>
    public double Bin { get; init; } = 0.1;

    /// <summary>Whether ours run in turns with the loop without locks, and with CPR.</summary>
    [JsonIgnore]
    public bool HasYardstick => CommitTimes.Count == 0 && Commits == 0 && Cells.All(cell => cell.Form is null);
}

/// <summary>One kind of transactions.</summary>
/// <param name="Size">How many keys each has.</param>
/// <param name="UpdatePercent">How many of the keys are updated, in percent; the others are read.</param>
/// <param name="Theta">The skew of the keys.</param>
/// <param name="Threads">How many threads, or awaiting sessions, run them.</param>
internal sealed record TransactionCell(int Size, int UpdatePercent, double Theta, int Threads)
{
    /// <summary>
    /// How clients wait until a transaction is durable, a <see cref="Writes.WriteShape"/> as it is written; null where
    /// that is not asked for.
    /// </summary>
    public string? Form { get; init; }

    /// <summary>The form in whose row it stands.</summary>
    public string? Asked { get; init; }

    /// <summary>The cell's name in results.</summary>
    [JsonIgnore]
    public string Workload => $"{Size} {(Size == 1 ? "key" : "keys")}, {UpdatePercent} % updated";
}

/// <summary>Writes and reads settings as JSON, for a child process.</summary>
[JsonSerializable(typeof(TransactionSettings))]
internal sealed partial class TransactionSettingsJson : JsonSerializerContext;
