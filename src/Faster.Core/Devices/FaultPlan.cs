namespace Faster;

/// <summary>
/// What goes wrong on a <see cref="FaultDevice"/>. Immutable; the same plan and calls give the same faults.
/// </summary>
public sealed record FaultPlan
{
    /// <summary>Nothing goes wrong.</summary>
    public static FaultPlan None { get; } = new();

    /// <summary>The faults; of several that strike the same call the first counts.</summary>
    public IReadOnlyList<Fault> Faults { get; init; } = [];

    /// <summary>The bits that read back wrong, each time.</summary>
    public IReadOnlyList<BitFlip> BitFlips { get; init; } = [];

    /// <summary>
    /// A completion is held back until up to so many further requests were submitted, or so many polls were made,
    /// whichever comes first; the seed says how many, and so reorders completions. 0: none is held back.
    /// </summary>
    public int HoldBack { get; init; }

    /// <summary>Chooses how long each completion is held back.</summary>
    public int Seed { get; init; }
}
