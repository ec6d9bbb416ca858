using System.Collections.Immutable;
using System.Reflection;
using System.Runtime.Loader;
using Faster.Generators.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Faster.Generators.Tests.Fakes;

/// <summary>Compiles a user's source with our generator and System.Text.Json's, and runs the result.</summary>
internal static class Harness
{
    public static readonly CSharpParseOptions Parse =
        new(LanguageVersion.Latest, DocumentationMode.Diagnose);

    private const string Usings = """
        global using System;
        global using System.Buffers;
        global using System.Collections.Generic;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        global using Faster;
        """;

    /// <summary>The framework, its container and Faster.Stores, as this test runs on them.</summary>
    public static readonly ImmutableArray<MetadataReference> References =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(p => Path.GetFileName(p) is var n && (n.StartsWith("System.", StringComparison.Ordinal)
                || n.StartsWith("Microsoft.Extensions.DependencyInjection", StringComparison.Ordinal)
                || n is "Faster.Stores.dll" or "netstandard.dll" or "mscorlib.dll"))
            .Select(p => MetadataReference.CreateFromFile(p)),
    ];

    // All are made from this one, so that the framework's symbols are made once.
    private static readonly CSharpCompilation Empty = CSharpCompilation.Create(
        "User",
        syntaxTrees: null,
        References,
        new CSharpCompilationOptions(
            OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable));

    /// <summary>A user's project: no unsafe blocks, documentation and nullable checked.</summary>
    public static CSharpCompilation Compile(string source) =>
        Empty.AddSyntaxTrees(
            CSharpSyntaxTree.ParseText(source, Parse, "User.cs"),
            CSharpSyntaxTree.ParseText(Usings, Parse, "Usings.cs"));

    public static GeneratorDriver Driver(bool trackSteps = false) => CSharpGeneratorDriver.Create(
        [new StoreGenerator().AsSourceGenerator(), JsonGenerator.Value],
        parseOptions: Parse,
        driverOptions: new GeneratorDriverOptions(IncrementalGeneratorOutputKind.None, trackSteps));

    /// <summary>What our generator emits, one text for each store.</summary>
    public static string[] Emit(string source, bool checksArithmetic = false)
    {
        CSharpCompilation compilation = Compile(source);
        compilation = compilation.WithOptions(compilation.Options.WithOverflowChecks(checksArithmetic));
        GeneratorDriverRunResult run = Driver().RunGenerators(compilation).GetRunResult();
        return [.. run.Results[0].GeneratedSources.Select(s => s.SourceText.ToString())];
    }

    /// <summary>The compilation with emitted code in it.</summary>
    public static Compilation Build(string source)
    {
        Driver().RunGeneratorsAndUpdateCompilation(Compile(source), out Compilation updated, out var problems);
        Assert.Empty(problems);
        return updated;
    }

    /// <summary>
    /// The same, where emitted code is warned of as a user's is: its pragma, for types and settings that no test has,
    /// must not hide that it is untidy.
    /// </summary>
    public static Compilation BuildStrict(string source)
    {
        const string pragma = "#pragma warning disable //";
        Compilation all = Build(source);
        foreach (SyntaxTree tree in all.SyntaxTrees.ToArray())
        {
            string text = tree.ToString();
            if (!text.Contains(pragma, StringComparison.Ordinal)) continue;
            string warned = text.Replace(pragma, "#pragma warning disable CS9192, CS9193 //", StringComparison.Ordinal);
            all = all.ReplaceSyntaxTree(tree, CSharpSyntaxTree.ParseText(warned, Parse, tree.FilePath));
        }

        return all;
    }

    /// <summary>A file of each text, in one project.</summary>
    public static CSharpCompilation Compile(IEnumerable<string> files, CSharpParseOptions parse)
    {
        return Empty.WithOptions(Empty.Options.WithAllowUnsafe(true).WithOverflowChecks(true))
            .AddSyntaxTrees([
                .. files.Select((text, i) => CSharpSyntaxTree.ParseText(text, parse, $"v{i}.cs")),
                CSharpSyntaxTree.ParseText(Usings, parse, "Usings.cs"),
            ]);
    }

    /// <summary>A Program.cs, in a new project of the SDK, which knows no namespace of ours.</summary>
    public static Compilation BuildProgram(string source)
    {
        CSharpCompilation program = Empty
            .WithOptions(Empty.Options.WithOutputKind(OutputKind.ConsoleApplication))
            .AddSyntaxTrees(
                CSharpSyntaxTree.ParseText(source, Parse, "User.cs"),
                CSharpSyntaxTree.ParseText(Usings.Replace("global using Faster;", ""), Parse, "Usings.cs"));
        Driver().RunGeneratorsAndUpdateCompilation(program, out Compilation updated, out var problems);
        Assert.Empty(problems);
        return updated;
    }

    /// <summary>Warnings and errors of a compilation, but for documentation that the sample's user left out.</summary>
    public static string[] Problems(Compilation compilation) => Problems(compilation.GetDiagnostics());

    /// <summary>The same, and whatever our analyzers report.</summary>
    public static async Task<string[]> AllProblemsAsync(Compilation compilation)
    {
        ImmutableArray<Diagnostic> all = await Analyzed(compilation).GetAllDiagnosticsAsync();
        return [.. Problems(all), .. all.Where(IsAnalyzersHint).Select(d => d.ToString())];
    }

    /// <summary>Builds, requires that nothing warns, loads, and calls <c>Program.Run</c>.</summary>
    /// <returns>What it wrote down, a line each.</returns>
    public static async Task<string[]> RunAsync(string source)
    {
        Compilation compilation = Build(source);
        Assert.Empty(Problems(compilation));
        using var image = new MemoryStream();
        Assert.True(compilation.Emit(image).Success);
        image.Position = 0;
        var context = new AssemblyLoadContext("user", isCollectible: true);
        MethodInfo run = context.LoadFromStream(image).GetTypes().Single(t => t.Name == "Program")
            .GetMethod("Run")!;
        var log = new List<string>();
        await (Task)run.Invoke(null, [log])!;
        return [.. log];
    }

    /// <summary>What a user sees of what the generator and our analyzers report.</summary>
    public static async Task<Diagnostic[]> AnalyzeAsync(string source)
    {
        Driver().RunGeneratorsAndUpdateCompilation(Compile(source), out Compilation updated, out var errors);
        ImmutableArray<Diagnostic> found = await AnalyzeAsync(updated);
        return [.. errors, .. found.Where(static d => d.Severity > DiagnosticSeverity.Hidden)];
    }

    /// <summary>What only code fixes see.</summary>
    public static async Task<Diagnostic[]> MarksAsync(string source)
    {
        Driver().RunGeneratorsAndUpdateCompilation(Compile(source), out Compilation updated, out _);
        return [.. (await AnalyzeAsync(updated)).Where(static d => d.Id == "FAS100")];
    }

    /// <summary>What our analyzers report.</summary>
    public static async Task<ImmutableArray<Diagnostic>> AnalyzeAsync(Compilation compilation)
    {
        ImmutableArray<Diagnostic> found = await Analyzed(compilation).GetAnalyzerDiagnosticsAsync();
        Assert.DoesNotContain(found, d => d.Id.StartsWith("AD", StringComparison.Ordinal));
        return found;
    }

    public static CompilationWithAnalyzers Analyzed(Compilation compilation) =>
        compilation.WithAnalyzers([new StoreAnalyzer(), new IgnoredStatusAnalyzer(), new CaughtConflictAnalyzer()]);

    private static bool IsAnalyzersHint(Diagnostic found) =>
        found.Severity < DiagnosticSeverity.Warning && !found.Id.StartsWith("CS", StringComparison.Ordinal);

    private static string[] Problems(ImmutableArray<Diagnostic> found) =>
    [
        .. found.Where(d => d.Severity >= DiagnosticSeverity.Warning && !d.IsSuppressed)
            .Where(d => d.Id != "CS1591" || d.Location.SourceTree?.FilePath != "User.cs")
            .Select(d => d.ToString()),
    ];

    // System.Text.Json's own generator lies in the reference pack of the SDK whose runtime runs this test.
    private static readonly Lazy<ISourceGenerator> JsonGenerator = new(() =>
    {
        string runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        string packs = Path.GetFullPath(Path.Combine(runtime, "../../../packs/Microsoft.NETCore.App.Ref"));
        string path = Directory.EnumerateFiles(
            packs, "System.Text.Json.SourceGeneration.dll", SearchOption.AllDirectories).Max()!;
        Type type = Assembly.LoadFrom(path).GetTypes().Single(t => t.Name == "JsonSourceGenerator");
        return ((IIncrementalGenerator)Activator.CreateInstance(type)!).AsSourceGenerator();
    });
}
