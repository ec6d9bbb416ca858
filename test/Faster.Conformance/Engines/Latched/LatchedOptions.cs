namespace Faster.Conformance.Engines.Latched;

/// <summary>The options of a <see cref="LatchedStore"/>.</summary>
public sealed record LatchedOptions
{
    /// <summary>The most bytes of records.</summary>
    public ByteSize MemoryBudget { get; init; } = ByteSize.MiB(64);
}
