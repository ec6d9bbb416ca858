using System.Runtime.CompilerServices;
using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Tests.Emitting;

/// <summary>
/// What an editor shows after a dot on a class, its store and its session, for each engine: kept in
/// Snapshots/Editor.verified.txt. Run with <c>UPDATE_SNAPSHOTS=1</c> to rewrite it.
/// </summary>
public class EditorTests
{
    private static readonly SymbolDisplayFormat Short = SymbolDisplayFormat.CSharpShortErrorMessageFormat
        .WithMemberOptions(SymbolDisplayMemberOptions.IncludeParameters | SymbolDisplayMemberOptions.IncludeType);

    [Fact]
    public void An_editor_shows_what_is_recorded()
    {
        string[] engines = ["FasterEngine", "TieredEngine", "HotRingEngine"];
        string shown = string.Join("\n", engines.Select(Shown)) + "\n";
        string path = PathOf();
        if (Environment.GetEnvironmentVariable("UPDATE_SNAPSHOTS") == "1") File.WriteAllText(path, shown);
        Assert.Equal(File.ReadAllText(path).ReplaceLineEndings("\n"), shown);
    }

    private static string Shown(string engine)
    {
        string source = Sources.Clicks.Replace(
            "[Store]", $"[Store(Engine = typeof({engine}))]", StringComparison.Ordinal);
        INamedTypeSymbol store = Harness.Build(source).GetTypeByMetadataName("Demo.Clicks")!;
        INamedTypeSymbol[] types = [store, .. store.GetTypeMembers("Store"), .. store.GetTypeMembers("Session")];
        return string.Join("\n", types
            .Select(type => $"{engine}: {type.Name}\n" + string.Concat(MembersOf(type).Select(m => $"    {m}\n"))));
    }

    private static IEnumerable<string> MembersOf(INamedTypeSymbol type)
    {
        var all = new List<ISymbol>();
        for (INamedTypeSymbol? at = type; at is { SpecialType: not SpecialType.System_Object }; at = at.BaseType)
            all.AddRange(at.GetMembers());
        return all.Where(IsShown).Select(static m => m.ToDisplayString(Short)).Distinct()
            .Order(StringComparer.Ordinal);
    }

    private static bool IsShown(ISymbol member) => member is
        { DeclaredAccessibility: Accessibility.Public, IsImplicitlyDeclared: false, CanBeReferencedByName: true }
        && member is not IMethodSymbol { MethodKind: not MethodKind.Ordinary }
        && !member.GetAttributes().Any(static a => a.AttributeClass?.Name == "EditorBrowsableAttribute");

    private static string PathOf([CallerFilePath] string file = "") =>
        Path.Combine(Path.GetDirectoryName(file)!, "../Snapshots/Editor.verified.txt");
}
