using System.Reflection;
using Faster.Workload;
using Faster.Ycsb.Engines;
using Xunit.Sdk;

namespace Faster.Ycsb.Tests.Engines;

/// <summary>A peer in a shared library, and its values: skipped, with the reason, where the library is not.</summary>
[AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
public sealed class PeerDataAttribute : DataAttribute
{
    private readonly object[] _row;

    public PeerDataAttribute(string name, int valueBytes, int mebibytes)
    {
        _row = [name, valueBytes, mebibytes];
        string? refusal = EngineCatalog.OwnEngines.Single(engine => engine.Name == name)
            .Refuses(new EngineShape(Keys: 1, valueBytes, mebibytes == 0 ? null : (long)mebibytes << 20));
        if (refusal is null) return;
        Assert.Contains("Debian's package", refusal, StringComparison.Ordinal); // any other reason is no reason
        Skip = refusal;
    }

    public override IEnumerable<object[]> GetData(MethodInfo testMethod) => [_row];
}
