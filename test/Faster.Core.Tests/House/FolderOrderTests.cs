using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Tests.House;

/// <summary>
/// The folders of the library have one order: code knows the folders before its own, and an engine knows no other
/// engine. `docs/ARCHITECTURE.md` shows the same order.
/// </summary>
public sealed class FolderOrderTests
{
    private const string Source = "src/Faster.Core/", Probes = "src/Faster.Probes/", Engines = "Engines/";

    private static readonly string[] _order =
    [
        "Contracts", "Invariants", "Memory", "Threads", "Epochs", "Devices", "Options", "Persistence",
        "OperationLogs", "Log", "Index", "Chains", "Caching", "Expiry", "Checkpoints", "Commits", "Opening",
        "Sessions", "Tiers", "Tables", "Operations", "LogSessions", "Compaction", "LogCommits", "HashChunks",
        "Analytics", "Stores", "Engines",
    ];

    [Fact]
    public void No_arrow_points_to_a_later_folder()
    {
        (string Path, string Text)[] files = [.. Repository.Files(Source, "*.cs")
            .Select(static file => (file, Repository.Read(file)))];
        Assert.True(files.Length > 500, "The scan found hardly any file: it looks in the wrong place.");
        string[] unknown = [.. files.Select(static file => FolderOf(file.Path)).Distinct()
            .Where(static folder => folder.Length > 0 && !_order.Contains(folder.Split('/')[0]))];
        Assert.True(unknown.Length == 0, $"Not in the order: {string.Join(", ", unknown)}");
        string[] arrows = ArrowsIn(files);
        Assert.True(arrows.Length == 0, $"{arrows.Length} arrows:\n{string.Join('\n', arrows)}");
    }

    [Fact]
    public void The_architecture_page_shows_the_order()
    {
        string shown = string.Join(" ← ", _order);
        Assert.Contains(shown, Repository.Read("docs/ARCHITECTURE.md"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Log/A.cs", "Index/B.cs", true)]
    [InlineData("Index/A.cs", "Log/B.cs", false)]
    [InlineData("Log/Reads/A.cs", "Log/B.cs", false)]
    [InlineData("Stores/A.cs", "Engines/One/B.cs", true)]
    [InlineData("Engines/One/A.cs", "Stores/B.cs", false)]
    [InlineData("Engines/One/A.cs", "Engines/Two/B.cs", true)]
    public void Arrows_are_found(string user, string used, bool isArrow)
    {
        const string User = "namespace Faster { internal class A { private static object M() => B.Made; } }";
        const string Used = "namespace Faster { internal class B { public const string Made = \"\"; } }";
        Assert.Equal(isArrow, ArrowsIn([(Source + user, User), (Source + used, Used)]).Length > 0);
    }

    // What a comment refers to is no arrow: documentation may name who uses a part.
    private static string[] ArrowsIn((string Path, string Text)[] files)
    {
        SyntaxTree[] trees = [.. files.Select(static file => Parse(file.Text, file.Path))];
        string[] references = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator);
        CSharpCompilation compilation = CSharpCompilation.Create(
            "Order",
            [.. trees, .. Repository.Files(Probes, "*.cs").Select(Repository.Read).Append(Usings).Select(Parse)],
            references.Where(static path => !path.EndsWith("Faster.Stores.dll", StringComparison.Ordinal))
                .Select(static path => MetadataReference.CreateFromFile(path)),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
        // What does not resolve would hide an arrow; the bodies of imported functions are generated.
        Assert.Empty(compilation.GetDiagnostics()
            .Where(static found => found is { Severity: DiagnosticSeverity.Error, Id: not "CS8795" }).Take(5));
        return [.. trees.AsParallel().SelectMany(tree => ArrowsOf(tree, compilation)).Distinct().Order()];
    }

    private static SyntaxTree Parse(string text) => Parse(text, "");

    private static SyntaxTree Parse(string text, string path) => CSharpSyntaxTree.ParseText(
        text, CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.Preview), path);

    private static IEnumerable<string> ArrowsOf(SyntaxTree tree, CSharpCompilation compilation)
    {
        SemanticModel model = compilation.GetSemanticModel(tree);
        foreach (UsingDirectiveSyntax line in tree.GetRoot().DescendantNodes().OfType<UsingDirectiveSyntax>())
        {
            string folder = line.Name!.ToString().Replace('.', '/');
            if (folder.StartsWith("Faster/", StringComparison.Ordinal) && IsUpward(
                FolderOf(tree.FilePath), folder["Faster/".Length..]))
                yield return $"{tree.FilePath} -> {line.Name}";
        }

        foreach (SimpleNameSyntax name in tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>())
        {
            ISymbol? symbol = model.GetSymbolInfo(name).Symbol;
            string? used = symbol is INamespaceSymbol or null
                ? null
                : symbol.OriginalDefinition.DeclaringSyntaxReferences.FirstOrDefault()?.SyntaxTree.FilePath;
            if (string.IsNullOrEmpty(used) || !IsUpward(FolderOf(tree.FilePath), FolderOf(used))) continue;
            yield return $"{tree.FilePath} -> {used}: {name.Identifier.Text}";
        }
    }

    private static bool IsUpward(string from, string to)
    {
        string[] user = from.Split('/'), used = to.Split('/');
        if (user[0] != used[0]) return Array.IndexOf(_order, used[0]) > Array.IndexOf(_order, user[0]);
        return from.StartsWith(Engines, StringComparison.Ordinal) && used.Length > 1 && user[1] != used[1];
    }

    private static string FolderOf(string path) =>
        Path.GetDirectoryName(path[Source.Length..])!.Replace('\\', '/');

    private const string Usings =
        """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;
}
