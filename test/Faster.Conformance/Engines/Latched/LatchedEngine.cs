using Faster.Contracts;

namespace Faster.Conformance.Engines.Latched;

/// <summary>
/// A dictionary in native memory under one latch, as an engine: it shows that the contract is no alias for FASTER. It
/// has no capability but the operations.
/// </summary>
public sealed class LatchedEngine : IEngine<LatchedStore, LatchedSession, LatchedOptions>
{
    private LatchedEngine()
    {
    }
}
