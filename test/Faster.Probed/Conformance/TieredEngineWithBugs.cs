using Faster.Contracts;
using Faster.Tests.Scheduling;
using Faster.Tiered;

namespace Faster.Tests.Conformance;

/// <summary>The engine F2 with the bug that <see cref="SeededProbe"/> has.</summary>
internal sealed class TieredEngineWithBugs : IEngine<TieredStore, TieredSession, TieredOptions>
{
    private TieredEngineWithBugs()
    {
    }
}
