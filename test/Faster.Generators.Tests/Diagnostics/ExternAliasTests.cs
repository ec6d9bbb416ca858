using System.Collections.Immutable;
using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Faster.Generators.Tests.Diagnostics;

/// <summary>
/// Emitted code names types from the global namespace: types of an assembly that has an extern alias only are refused,
/// wherever a store names them, and those that have a global name besides are not.
/// </summary>
public class ExternAliasTests
{
    private const string Library = """
        namespace Lib;
        public struct P { public long A; }
        public class G<T> { public struct I { public long A; } public class C; }
        public class Made : System.Text.Json.Serialization.JsonSerializerContext
        {
            public static Made Default => null!;
            public Made() : base(null) { }
            protected override System.Text.Json.JsonSerializerOptions? GeneratedSerializerOptions => null;
            public override System.Text.Json.Serialization.Metadata.JsonTypeInfo? GetTypeInfo(System.Type type) => null;
        }
        """;

    [Theory]
    [InlineData("FAS013", "[Store(Key = typeof(L::Lib.P), Value = typeof(long))] public static partial class S;")]
    [InlineData("FAS013", "[Store(Key = typeof(long), Value = typeof(L::Lib.P))] public static partial class S;")]
    [InlineData("FAS013", "[Store(Key = typeof(L::Lib.G<int>.I), Value = typeof(int))] public static partial class S;")]
    [InlineData("FAS013", "[Store(Key = typeof(O<L::Lib.P>.I), Value = typeof(int))] public static partial class S; "
        + "public class O<T> { public struct I; }")]
    [InlineData("FAS013", "[Store(Key = typeof(int))] public static partial class S { [InPlaceUpdater] "
        + "static void Add(int key, List<L::Lib.G<int>.C[]> input, ref long total) { } }")]
    [InlineData("FAS013", "[Store(Key = typeof(int))] public static partial class S { [SingleReader] "
        + "static void Get(long value, out (int, L::Lib.P) output) => output = default; }")]
    [InlineData("FAS013", "[Store(Key = typeof(int), Value = typeof(int))] public static partial class S { "
        + "[CompletionCallback] static void Done(L::Lib.P context) { } }")]
    [InlineData("FAS008", "[Store(Key = typeof(int), Value = typeof(object), "
        + "SerializerContext = typeof(L::Lib.Made))] public static partial class S;")]
    public async Task A_type_of_an_aliased_assembly_is_refused(string id, string store)
    {
        Diagnostic found = Assert.Single(await AnalyzeAsync(store, "L"), d => d.Id.StartsWith("FAS"));
        Assert.Equal(id, found.Id);
        Assert.Contains("'Lib' is referenced under an extern alias only", found.GetMessage(null));
    }

    [Theory]
    [InlineData("[Store(Key = typeof(L::Lib.P), Value = typeof(L::Lib.G<int>.I))] public static partial class S;")]
    [InlineData("[Store(Key = typeof(Lib.P))] public static partial class S { [InPlaceUpdater] "
        + "static void Add(Lib.P key, List<L::Lib.G<int>.C[]> input, ref long total) { } }")]
    public async Task A_type_that_has_a_global_name_too_is_not(string store) =>
        Assert.Empty(await AnalyzeAsync(store, "L", "global"));

    [Fact]
    public async Task The_library_itself_needs_a_global_name()
    {
        const string store = "extern alias F; [F::Faster.Store(Key = typeof(int), Value = typeof(int))] "
            + "public static partial class S;";
        CSharpCompilation compilation = Harness.Compile([store], Harness.Parse);
        compilation = compilation.RemoveSyntaxTrees(compilation.SyntaxTrees.Single(t => t.FilePath == "Usings.cs"));
        MetadataReference core = compilation.References.Single(r => r.Display!.EndsWith("Faster.Stores.dll"));
        compilation = compilation.ReplaceReference(core, core.WithAliases(["F"]));
        Diagnostic found = Assert.Single(await AnalyzeAsync(compilation));
        Assert.Equal("FAS013", found.Id);
        Assert.Contains("'Faster.Stores' is referenced under an extern alias only", found.GetMessage(null));
    }

    private static Task<Diagnostic[]> AnalyzeAsync(string store, params string[] aliases)
    {
        using var image = new MemoryStream();
        CSharpCompilation library = Harness.Compile([Library], Harness.Parse).WithAssemblyName("Lib");
        Assert.True(library.Emit(image).Success);
        image.Position = 0;
        MetadataReference reference = MetadataReference.CreateFromStream(image).WithAliases([.. aliases]);
        return AnalyzeAsync(Harness.Compile(["extern alias L; " + store], Harness.Parse).AddReferences(reference));
    }

    private static async Task<Diagnostic[]> AnalyzeAsync(CSharpCompilation compilation)
    {
        CSharpGeneratorDriver.Create([new StoreGenerator().AsSourceGenerator()], parseOptions: Harness.Parse)
            .RunGeneratorsAndUpdateCompilation(compilation, out Compilation updated, out var errors);
        ImmutableArray<Diagnostic> all = await Harness.Analyzed(updated).GetAllDiagnosticsAsync();
        return [.. errors, .. all.Where(d => d.Severity >= DiagnosticSeverity.Warning && d.Id != "CS1591")];
    }
}
