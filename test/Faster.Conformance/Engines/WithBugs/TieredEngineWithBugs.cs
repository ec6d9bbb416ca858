using Faster.Contracts;
using Faster.Tiered;

namespace Faster.Conformance.Engines.WithBugs;

/// <summary>The engine F2 with the bug that <see cref="OneBug"/> has.</summary>
internal sealed class TieredEngineWithBugs : IEngine<TieredStore<OneBug>, TieredSession<OneBug>, TieredOptions>
{
    private TieredEngineWithBugs()
    {
    }
}
