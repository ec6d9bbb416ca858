using System.Diagnostics.CodeAnalysis;
using Faster;

namespace CountStore.Counting;

/// <summary>An engine that counts.</summary>
/// <param name="Name">As it is written on the command line.</param>
/// <param name="MinMemory">The smallest memory budget that it can work with.</param>
internal sealed record CountEngine(string Name, ByteSize MinMemory)
{
    /// <summary>For messages.</summary>
    public const string Choices = "faster or tiered";

    /// <summary>One log.</summary>
    public static CountEngine Faster { get; } = new("faster", StoreOptions.MinMemoryBudget);

    /// <summary>F2: a hot log above a cold one, whose index takes less than a byte of memory a key.</summary>
    public static CountEngine Tiered { get; } = new("tiered", TieredOptions.MinMemoryBudget);

    /// <summary>Reads an engine's name.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out CountEngine? engine)
    {
        engine = text switch
        {
            "faster" => Faster,
            "tiered" => Tiered,
            _ => null,
        };
        return engine is not null;
    }
}
