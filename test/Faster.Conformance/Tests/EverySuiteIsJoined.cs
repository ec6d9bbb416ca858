using Faster.Conformance.Contract;

namespace Faster.Conformance.Tests;

/// <summary>An engine cannot omit a suite by oversight.</summary>
public sealed class EverySuiteIsJoined
{
    private static readonly Type[] Types = typeof(EverySuiteIsJoined).Assembly.GetTypes();

    public static TheoryData<Type> Engines =>
        [.. Types.Where(type => type is { IsAbstract: false, IsPublic: true } && KeyAndValue(type) is not null)];

    [Theory]
    [MemberData(nameof(Engines))]
    public void Every_engine_runs_every_suite(Type engine)
    {
        bool ofBytes = KeyAndValue(engine)![0] == typeof(byte[]), ofCells = engine.IsAssignableTo(typeof(ICellEngine));
        bool scans = Array.Exists(engine.GetInterfaces(), IsOfScans);
        Type[] suites = [.. Types.Where(type => type.IsAbstract && type != typeof(ConformanceSuite<,,>)
            && DerivesFromSuite(type)
            && (scans || !Array.Exists(type.GetGenericArguments()[0].GetGenericParameterConstraints(), IsOfScans))
            && (IsOfCells(type) ? ofCells : !ofCells && (ofBytes || type.GetGenericArguments().Length == 3)))];
        Assert.NotEmpty(suites);
        Type[] run = [.. Types.Where(type => type is { IsPublic: true, IsAbstract: false } && EngineOf(type) == engine)
            .Select(type => type.BaseType!.GetGenericTypeDefinition())];
        string[] missing = [.. suites.Except(run).Select(suite => suite.Name)];
        Assert.True(missing.Length == 0, $"{engine.Name} does not run: {string.Join(", ", missing)}.");
    }

    // An engine of cells runs the suites of cells, and no others.
    private static bool IsOfCells(Type suite) =>
        suite.GetGenericArguments()[0].GetGenericParameterConstraints().Contains(typeof(ICellEngine));

    // An engine without scans does not run the suites of scans.
    private static bool IsOfScans(Type type) =>
        type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IScannedEngine<,>);

    private static Type[]? KeyAndValue(Type type) => type.GetInterfaces()
        .FirstOrDefault(i => i.IsGenericType && i.GetGenericTypeDefinition() == typeof(IEngineUnderTest<,>))
        ?.GetGenericArguments();

    private static bool DerivesFromSuite(Type? type) => type is not null
        && ((type.IsGenericType && type.GetGenericTypeDefinition() == typeof(ConformanceSuite<,,>))
            || DerivesFromSuite(type.BaseType));

    private static Type? EngineOf(Type type) => DerivesFromSuite(type) ? type.BaseType!.GetGenericArguments()[0] : null;
}
