using System.Reflection;
using Faster.Workload;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Engines.Transactions;
using Xunit.Sdk;

namespace Faster.Ycsb.Tests.Engines;

/// <summary>A peer in a shared library: skipped, with the reason, where the library is not.</summary>
[AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
public sealed class PeerDataAttribute : DataAttribute
{
    private readonly object[] _row;

    public PeerDataAttribute(string name, int valueBytes, int mebibytes)
        : this(
            EngineCatalog.OwnEngines.Single(engine => engine.Name == name),
            new EngineShape(Keys: 1, valueBytes, mebibytes == 0 ? null : (long)mebibytes << 20),
            [name, valueBytes, mebibytes])
    {
    }

    /// <summary>A peer whose writes are durable, and a form of them.</summary>
    public PeerDataAttribute(string name, string form)
        : this(
            EngineCatalog.OwnDurable.Single(engine => engine.Name == name), new EngineShape(Keys: 1, 100, null),
            [name, form])
    {
    }

    /// <summary>A peer that runs transactions.</summary>
    public PeerDataAttribute(string name)
        : this(TransactionSource.All.Single(engine => engine.Name == name), new EngineShape(Keys: 1, 8, null), [name])
    {
    }

    private PeerDataAttribute(IEngineSource engine, EngineShape shape, object[] row)
    {
        _row = row;
        string? refusal = engine.Refuses(shape);
        if (refusal is null) return;
        Assert.Contains("Debian's package", refusal, StringComparison.Ordinal); // any other reason is no reason
        Skip = refusal;
    }

    public override IEnumerable<object[]> GetData(MethodInfo testMethod) => [_row];
}
