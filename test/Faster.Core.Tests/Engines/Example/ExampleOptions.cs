namespace Faster.Tests.Engines.Example;

/// <summary>The options of <see cref="ExampleEngine"/>: those of all engines.</summary>
public sealed record ExampleOptions : EngineOptions
{
    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MemoryBudget.Bytes, 1, nameof(MemoryBudget));
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(CloseTimeout, TimeSpan.Zero);
        if (PopulateMemory)
        {
            throw new StoreOpenException(
                "ExampleOptions.PopulateMemory can't be honored: the records are objects, made one by one. Leave it "
                + "false.");
        }
    }
}
