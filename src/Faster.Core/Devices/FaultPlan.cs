namespace Faster;

/// <summary>Which call of a <see cref="FaultDevice"/> a fault strikes.</summary>
public enum FaultTarget
{
    /// <summary>Reads.</summary>
    Read,

    /// <summary>Writes.</summary>
    Write,

    /// <summary>Syncs.</summary>
    Sync,
}

/// <summary>What a fault looks like.</summary>
public enum FaultFlavour
{
    /// <summary>The device reports an I/O error; nothing is transferred.</summary>
    InputOutputError,

    /// <summary>The disk is full; nothing is transferred.</summary>
    NoSpace,

    /// <summary>A part of the bytes is transferred, then the device reports an error.</summary>
    ShortTransfer,
}

/// <summary>One fault: from the n-th call of a kind, once or for ever.</summary>
/// <param name="Target">Which calls count.</param>
/// <param name="Nth">The call that fails, counted from 1 since the plan was armed.</param>
/// <param name="Flavour">What it looks like.</param>
/// <param name="Persistent">Whether every later call fails, too.</param>
public sealed record Fault(
    FaultTarget Target,
    long Nth,
    FaultFlavour Flavour = FaultFlavour.InputOutputError,
    bool Persistent = false)
{
    /// <summary>Whether it strikes a call.</summary>
    /// <param name="target">The kind of the call.</param>
    /// <param name="n">Its number, from 1.</param>
    public bool Strikes(FaultTarget target, long n) => target == Target && (Persistent ? n >= Nth : n == Nth);
}

/// <summary>One bit that reads back wrong.</summary>
/// <param name="Offset">The byte's offset on the device.</param>
/// <param name="Bit">The bit in it, 0 (lowest) to 7.</param>
public readonly record struct BitFlip(long Offset, int Bit);

/// <summary>What goes wrong on a <see cref="FaultDevice"/>. Immutable; the same plan and calls give the same faults.</summary>
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

/// <summary>What a <see cref="FaultDevice"/> has seen since it was made.</summary>
/// <param name="Reads">Read requests.</param>
/// <param name="Writes">Write requests.</param>
/// <param name="Syncs">Syncs.</param>
/// <param name="Faults">Calls that a fault struck.</param>
/// <param name="SyncsAfterFailure">Syncs called after one had failed: no store may make one.</param>
public readonly record struct FaultCounters(
    long Reads, long Writes, long Syncs, long Faults, long SyncsAfterFailure);
