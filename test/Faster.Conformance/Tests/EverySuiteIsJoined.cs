using Faster.Conformance.Contract;

namespace Faster.Conformance.Tests;

/// <summary>An engine cannot omit a suite by oversight.</summary>
public sealed class EverySuiteIsJoined
{
    private static readonly Type[] Types = typeof(EverySuiteIsJoined).Assembly.GetTypes();

    // A generic one is an engine once more, in some of its shapes: it joins the suites that they concern.
    public static TheoryData<Type> Engines =>
    [
        .. Types.Where(type => type is { IsAbstract: false, IsPublic: true, IsGenericTypeDefinition: false }
            && KeyAndValue(type) is not null),
    ];

    public static TheoryData<Type> OfTransactions =>
        [.. Types.Where(static type => type is { IsClass: true } && type.IsAssignableTo(typeof(ITransactionEngine)))];

    [Theory]
    [MemberData(nameof(Engines))]
    public void Every_engine_runs_every_suite(Type engine)
    {
        bool ofCells = engine.IsAssignableTo(typeof(ICellEngine));
        Type[] suites = [.. Types.Where(type => type.IsAbstract && HasTests(type) && DerivesFromSuite(type)
            && IsOfCells(type) == ofCells && Fits(type, engine))];
        Assert.NotEmpty(suites);
        Type[] run = [.. Types.Where(type => type is { IsPublic: true, IsAbstract: false } && EngineOf(type) == engine)
            .Select(type => type.BaseType!.GetGenericTypeDefinition())];
        string[] missing = [.. suites.Except(run).Select(suite => suite.Name)];
        Assert.True(missing.Length == 0, $"{engine.Name} does not run: {string.Join(", ", missing)}.");
    }

    [Theory]
    [MemberData(nameof(OfTransactions))]
    public void Every_engine_of_transactions_runs_their_suites(Type engine)
    {
        Type[] suites = [.. Types.Where(type => type.IsAbstract && HasTests(type)
            && type.GetGenericArguments() is [{ } parameter]
            && parameter.GetGenericParameterConstraints().Contains(typeof(ITransactionEngine)))];
        Assert.True(suites.Length >= 4);
        string[] missing = [.. suites.Where(suite => !Types.Any(type => type is { IsPublic: true, IsAbstract: false }
            && type.BaseType == suite.MakeGenericType(engine))).Select(static suite => suite.Name)];
        Assert.True(missing.Length == 0, $"{engine.Name} does not run: {string.Join(", ", missing)}.");
    }

    // An engine of cells runs the suites of cells, and no others.
    private static bool IsOfCells(Type suite) =>
        suite.GetGenericArguments()[0].GetGenericParameterConstraints().Contains(typeof(ICellEngine));

    private static bool HasTests(Type type) =>
        Array.Exists(type.GetMethods(), static method => method.IsDefined(typeof(FactAttribute), inherit: true));

    // Whether the engine has what the suite demands of it: the capabilities, and keys and values of a type.
    private static bool Fits(Type suite, Type engine)
    {
        Type[] arguments = [engine, .. KeyAndValue(engine)!];
        try
        {
            _ = suite.MakeGenericType(arguments[..suite.GetGenericArguments().Length]);
            return true;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    private static Type[]? KeyAndValue(Type type) => type.GetInterfaces()
        .FirstOrDefault(i => i.IsGenericType && i.GetGenericTypeDefinition() == typeof(IEngineUnderTest<,>))
        ?.GetGenericArguments();

    private static bool DerivesFromSuite(Type? type) => type is not null
        && ((type.IsGenericType && type.GetGenericTypeDefinition() == typeof(ConformanceSuite<,,>))
            || DerivesFromSuite(type.BaseType));

    private static Type? EngineOf(Type type) => DerivesFromSuite(type) ? type.BaseType!.GetGenericArguments()[0] : null;
}
