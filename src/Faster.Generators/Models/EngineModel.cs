namespace Faster.Generators.Models;

/// <summary>What the emitters know of an engine: the types that emitted code names, and what they can do.</summary>
/// <param name="Store">The type of the engine's store, fully qualified.</param>
/// <param name="Session">The type of its sessions.</param>
/// <param name="Options">The type of its options.</param>
/// <param name="Statistics">The type of its figures; null without <see cref="Capabilities.Statistics"/>.</param>
/// <param name="LogScan">The type of a scan of its log; null without <see cref="Capabilities.Log"/>.</param>
/// <param name="Capabilities">What it can do.</param>
internal sealed record EngineModel(
    string Store, string Session, string Options, string? Statistics, string? LogScan, Capabilities Capabilities)
{
    public bool Has(Capabilities capability) => (Capabilities & capability) == capability;
}
