using System.Reflection;
using System.Text.RegularExpressions;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.House;

namespace Faster.Tests.Contracts;

/// <summary>
/// The page of the contract lists what the interfaces have, and FASTER offers all of it to emitted code: publicly, or
/// to derived types where an editor should not show it.
/// </summary>
public class EngineContractTests
{
    private const string Page = "docs/internals/engine-contract.md";

    private const BindingFlags Members =
        BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;

    private const BindingFlags Inherited =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.FlattenHierarchy;

    private static readonly Type[] Offering =
    [
        typeof(FasterStore<FasterSession, object>), typeof(FasterSession),
    ];

    // What FASTER lacks.
    private static readonly Type[] Others = [typeof(ITransactionSession)];

    public static TheoryData<string> Interfaces => [.. Contract().Select(type => type.Name)];

    public static TheoryData<string> Offered => [.. Contract().Except(Others).Select(type => type.Name)];

    [Fact]
    public void The_page_lists_each_interface_once()
    {
        string[] listed = [.. Rows().Select(row => row.Interface)];
        Assert.Equal(Contract().Select(PlainName).Order(), listed.Order());
    }

    [Theory]
    [MemberData(nameof(Interfaces))]
    public void The_page_lists_the_members_of_an_interface(string name)
    {
        Type type = Contract().Single(t => t.Name == name);
        string members = Rows().Single(row => row.Interface == PlainName(type)).Members;
        string[] missing = [.. NamesOf(type).Where(n => !members.Contains($"`{n}`", StringComparison.Ordinal))];
        Assert.True(missing.Length == 0, $"{Page} does not list {string.Join(", ", missing)} of {type.Name}.");
    }

    [Theory]
    [MemberData(nameof(Offered))]
    public void Faster_offers_its_capabilities_to_derived_types(string name)
    {
        Type contract = Contract().Single(t => t.Name == name);
        Type? offering = Offering.FirstOrDefault(t => Implemented(t, contract) is not null);
        Assert.True(offering is not null, $"No type of FASTER implements {name}.");
        InterfaceMapping map = offering.GetInterfaceMap(Implemented(offering, contract)!);
        Assert.All(map.InterfaceMethods.Zip(map.TargetMethods).Where(p => p.First.IsAbstract), pair => Assert.True(
            pair.Second.IsPublic || offering.GetMethods(Inherited).Any(method => StandsInFor(method, pair.First)),
            $"{offering.Name} has no {pair.First.Name}, which emitted code calls."));
    }

    // A method that emitted code can call, with optional parameters beside those of the interface's.
    private static bool StandsInFor(MethodInfo method, MethodInfo declared)
    {
        ParameterInfo[] wanted = declared.GetParameters();
        return method is { IsPublic: true } or { IsFamily: true } or { IsFamilyOrAssembly: true }
            && method.Name == declared.Name
            && method.GetGenericArguments().Length == declared.GetGenericArguments().Length
            && wanted.All(w => method.GetParameters().Any(p => p.Name == w.Name))
            && method.GetParameters().All(p => p.IsOptional || wanted.Any(w => w.Name == p.Name));
    }

    private static Type? Implemented(Type type, Type contract) => type.GetInterfaces().FirstOrDefault(
        i => (i.IsGenericType ? i.GetGenericTypeDefinition() : i) == contract);

    private static Type[] Contract() =>
    [
        .. Repository.Files("src/Faster.Core/Contracts/Engines", "*.cs").Select(Path.GetFileNameWithoutExtension)
            .Select(name => typeof(IEngineSession).Assembly.GetTypes()
                .Single(type => type.Namespace == "Faster.Contracts" && PlainName(type) == name))
            .Where(type => type.IsInterface),
    ];

    private static IEnumerable<string> NamesOf(Type type) => type.GetMembers(Members)
        .Where(member => member is not MethodInfo { IsSpecialName: true }).Select(member => member.Name).Distinct();

    private static string PlainName(Type type) => type.Name.Split('`')[0];

    // The last two columns of the page's tables.
    private static IEnumerable<(string Interface, string Members)> Rows() => Repository.Read(Page).Split('\n')
        .Where(line => Regex.IsMatch(line, @"^\|.*`I[A-Z]\w+` \|"))
        .Select(line => line.Trim('|').Split('|'))
        .Select(cells => (cells[^2].Trim(' ', '`'), cells[^1]));
}
