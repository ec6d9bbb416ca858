namespace Faster.Testing;

/// <summary>
/// The faults of a <see cref="FaultDevice"/>. Immutable; the same plan and calls produce the same faults.
/// </summary>
public sealed record FaultPlan
{
    /// <summary>The plan without faults.</summary>
    public static FaultPlan None { get; } = new();

    /// <summary>The faults; if several hit the same call, the first one counts.</summary>
    public IReadOnlyList<Fault> Faults { get; init; } = [];

    /// <summary>The bits that are inverted in every read.</summary>
    public IReadOnlyList<BitFlip> BitFlips { get; init; } = [];

    /// <summary>
    /// A completion is held back until at most this number of further requests have been submitted, or of polls made,
    /// whichever comes first; the seed determines the actual number, and so reorders completions. 0: none is held back.
    /// </summary>
    public int HoldBack { get; init; }

    /// <summary>The seed that determines how long each completion is held back.</summary>
    public int Seed { get; init; }
}
