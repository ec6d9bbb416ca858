using CountStore.Commands;
using CountStore.Counting;
using CountStore.Input;

namespace CountStore.Report;

/// <summary>All that a run has to tell.</summary>
internal sealed record Outcome
{
    /// <summary>The run's settings.</summary>
    public required CountOptions Options { get; init; }

    /// <summary>What was counted.</summary>
    public required string InputName { get; init; }

    /// <summary>How it was cut into keys.</summary>
    public required InputFormat Format { get; init; }

    /// <summary>How many decompressed bytes it has.</summary>
    public required long InputBytes { get; init; }

    /// <summary>The name of the store's engine.</summary>
    public required string Engine { get; init; }

    /// <summary>How many threads counted.</summary>
    public required int Threads { get; init; }

    /// <summary>How many keys were counted, the same ones again and those of earlier runs included.</summary>
    public required long KeysCounted { get; init; }

    /// <summary>What was made durable; null where nothing was to be.</summary>
    public CommittedPart? Durability { get; init; }

    /// <summary>How long the counting took.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>What lay where when the counting was done.</summary>
    public required StoreUse Use { get; init; }

    /// <summary>The most frequent keys.</summary>
    public required Findings Findings { get; init; }

    /// <summary>The comparison with a plain dictionary; null where it was not asked for.</summary>
    public Verification? Verification { get; init; }

    /// <summary>The keys that this run counted in a second.</summary>
    public double KeysPerSecond =>
        (KeysCounted - (Durability?.KeysResumedFrom ?? 0)) / Math.Max(Elapsed.TotalSeconds, 1e-6);

    /// <summary>The bytes of input taken in a second.</summary>
    public double BytesPerSecond => InputBytes / Math.Max(Elapsed.TotalSeconds, 1e-6);

    /// <summary>How many keys there are: exact once verified, an estimate otherwise.</summary>
    public long DistinctKeys => Verification?.Keys ?? Findings.DistinctKeys;
}
