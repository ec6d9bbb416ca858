namespace Faster.Generators.Models;

/// <summary>What the emitters know of an engine: the types that emitted code names, and what they can do.</summary>
/// <param name="Prefix">
/// What the names of its store and session begin with; nothing for the first engine of a class.
/// </param>
/// <param name="Name">The class of the engine, fully qualified; it opens stores.</param>
/// <param name="Store">The type that stores derive from, without its arguments.</param>
/// <param name="StoreStart">The parameter of its constructor.</param>
/// <param name="Session">The type that sessions derive from.</param>
/// <param name="SessionStart">The parameter of its constructor.</param>
/// <param name="Options">The type of its options.</param>
/// <param name="Capabilities">What it can do.</param>
internal sealed record EngineModel(
    string Prefix, string Name, string Store, string StoreStart, string Session, string SessionStart, string Options,
    Capabilities Capabilities)
{
    /// <summary>The name of the emitted store.</summary>
    public string StoreName => Prefix + "Store";

    /// <summary>The name of the emitted session.</summary>
    public string SessionName => Prefix + "Session";

    public bool Has(Capabilities capability) => (Capabilities & capability) == capability;
}
