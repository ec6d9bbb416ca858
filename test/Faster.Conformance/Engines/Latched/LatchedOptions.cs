namespace Faster.Conformance.Engines.Latched;

/// <summary>The options of <see cref="LatchedEngine"/>: the budget is the most bytes of records.</summary>
public sealed record LatchedOptions : EngineOptions
{
    /// <summary>Whether awaited transactions complete on another thread, some time after they ran.</summary>
    public bool CompletesLater { get; init; }
}
