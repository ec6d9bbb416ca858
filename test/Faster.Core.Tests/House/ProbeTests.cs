using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Tests.House;

/// <summary>Probes are in the sources, in the build of test/Faster.Probed, and not in what ships.</summary>
public sealed class ProbeTests
{
    private const string Core = "src/Faster.Core", Probes = "src/Faster.Probes";

    [Fact]
    public void The_symbol_is_named_in_one_file()
    {
        string[] files = [.. Repository.Files("src", "*.cs").Where(static file =>
            Repository.Read(file).Contains("#if PROBES", StringComparison.Ordinal))];
        Assert.Equal([$"{Probes}/Probe.cs"], files);
    }

    [Fact]
    public void Points_have_constants_and_all_else_stands_behind_a_constant()
    {
        string[] breaches = [.. Repository.Files(Core, "*.cs").SelectMany(static file =>
            Breaches(file, Repository.Read(file)))];
        Assert.True(breaches.Length == 0, string.Join('\n', breaches));
    }

    [Theory]
    [InlineData("Probe.Point(ProbePoint.Wait);", true)]
    [InlineData("Probe.Point(point);", false)]
    [InlineData("if (Probe.On && Probe.Has(SeededBug.Any)) return;", true)]
    [InlineData("if (a && Probe.On && Probe.Has(SeededBug.Any)) return;", true)]
    [InlineData("bool b = Probe.On && (Probe.TakesTurns || Probe.Has(SeededBug.Any));", true)]
    [InlineData("if (Probe.On && a && Probe.Wait(null)) return;", true)]
    [InlineData("if (Probe.On || Probe.Wait(null)) return;", false)]
    [InlineData("if (!Probe.TakesTurns) return;", false)]
    public void A_breach_is_found(string statement, bool keepsTheRules) =>
        Assert.Equal(keepsTheRules, !Breaches("A.cs", $"class A {{ void M() {{ {statement} }} }}").Any());

    [Fact]
    public void Both_builds_have_the_same_files()
    {
        string probed = Repository.Read("test/Faster.Probed/Faster.Probed.csproj");
        string files = $"<Compile Include=\"../../{Core}/**/*.cs;../../{Probes}/**/*.cs\" LinkBase=\"src\" />";
        Assert.Contains(files, probed, StringComparison.Ordinal);
        Assert.DoesNotContain("Compile ", Repository.Read($"{Core}/Faster.Core.csproj"), StringComparison.Ordinal);
    }

    [Fact]
    public void The_shipped_assembly_has_no_point_no_bug_and_no_reference_to_them()
    {
        using var file = new PEReader(File.OpenRead(typeof(StoreOptions).Assembly.Location));
        MetadataReader metadata = file.GetMetadataReader();
        string[] references = [.. metadata.AssemblyReferences
            .Select(handle => metadata.GetString(metadata.GetAssemblyReference(handle).Name))];
        Assert.Contains("System.Runtime", references);
        Assert.DoesNotContain("Faster.Probes", references);
        string[] names = [.. metadata.TypeDefinitions
            .Select(metadata.GetTypeDefinition).Select(type => metadata.GetString(type.Name))];
        Assert.Contains(nameof(StoreOptions), names);
        Assert.Empty(names.Intersect(["Probe", "IProbe", "ProbePoint", "SeededBug"]));
        string[] fields = [.. metadata.FieldDefinitions
            .Select(metadata.GetFieldDefinition).Select(field => metadata.GetString(field.Name))];
        Assert.DoesNotContain(nameof(Faster.Probes.SeededBug.InsertWithoutTentative), fields);
        Assert.DoesNotContain(nameof(Faster.Probes.ProbePoint.IndexTentative), fields);
    }

    private static IEnumerable<string> Breaches(string file, string text) => CSharpSyntaxTree.ParseText(text).GetRoot()
        .DescendantNodes().OfType<MemberAccessExpressionSyntax>()
        .Where(static access => access.Expression.ToString() == "Probe" && !KeepsTheRules(access))
        .Select(access => $"{file}:{access.GetLocation().GetLineSpan().StartLinePosition.Line + 1}: {access.Parent}");

    private static bool KeepsTheRules(MemberAccessExpressionSyntax access) => access.Name.Identifier.Text switch
    {
        "On" => true,
        "Point" => access.Parent is InvocationExpressionSyntax { ArgumentList.Arguments: [var argument] }
            && argument.ToString().StartsWith("ProbePoint.", StringComparison.Ordinal),
        _ => access.Ancestors().OfType<BinaryExpressionSyntax>().Any(both =>
            both.IsKind(SyntaxKind.LogicalAndExpression) && both.Right.Span.Contains(access.Span)
            && OperandsOf(both.Left).Contains("Probe.On")),
    };

    // Of a && b && c the left side is a && b.
    private static IEnumerable<string> OperandsOf(ExpressionSyntax expression) =>
        expression is BinaryExpressionSyntax both && both.IsKind(SyntaxKind.LogicalAndExpression)
            ? [.. OperandsOf(both.Left), both.Right.ToString()]
            : [expression.ToString()];
}
