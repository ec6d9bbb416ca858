namespace Faster.Tests.Engines.Example;

/// <summary>The figures of <see cref="ExampleEngine"/>.</summary>
public sealed record ExampleStatistics : EngineStatistics
{
    /// <summary>The number of records, which is that of the live keys.</summary>
    public int Records { get; init; }
}
