using System.Collections.Immutable;
using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Faster.Generators.Tests.Diagnostics;

/// <summary>
/// A class that is not a sound store gives its error in every build. Where a declaration names a type that was not
/// emitted, the compiler stops at its own errors and runs no analyzer, so the generator reports the error itself.
/// </summary>
public class FirstContactTests
{
    private const string Add = "[InPlaceUpdater] static void Add(long page, long by, ref long total) => total += by;";

    private static readonly string[] Uses =
    [
        "public sealed class Counter(S.Session session) { public object It => session; }",
        "public sealed class Counter { public S.Store? Store; }",
        "public static class Counter { public static void Run(S.Session session) { } }",
        "public static class Counter { public static S.Store? Open() => null; }",
        "public sealed class Counter : S.ISession;",
        "public sealed class Counter : List<S.Session>;",
        "public delegate void Counter(S.Session session);",
    ];

    private static readonly (string Id, string Store)[] Mistakes =
    [
        ("FAS001", $"[Store] public static class S {{ {Add} }}"),
        ("FAS001", $"[Store] public partial class S {{ {Add} }}"),
        ("FAS003", "[Store(Key = typeof(int))] public static partial class S;"),
        ("FAS005", "[Store] public static partial class S { [InPlaceUpdater] static void Add(long a, long b) { } }"),
        ("FAS006", "[Store] public static partial class S { [InitialUpdater] static void Add(long a, ref long b) { }}"),
        ("FAS008", "[Store(Key = typeof(int), Value = typeof(object))] public static partial class S;"),
        ("FAS012", $"[Store] public static partial class S {{ {Add} static ValueTask<S.Store> OpenAsync("
            + "string? path, StoreOptions? options) => throw new NotSupportedException(); }"),
        ("FAS015", "[Store] public static partial class S { [CopyUpdater] static void Copy(string word, long old, "
            + "long input, ref long t) => t = old + input; }"),
        ("FAS019", $"public class Session; [Store] public static partial class S {{ {Add} static Session? It; }}"),
        ("FAS021", $"[Store(Engine = typeof(int))] public static partial class S {{ {Add} }}"),
    ];

    public static TheoryData<string, string, string> All
    {
        get
        {
            var all = new TheoryData<string, string, string>();
            foreach ((string id, string store) in Mistakes)
                foreach (string use in Uses) all.Add(id, store, use);
            return all;
        }
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task An_error_is_reported_once_where_the_compiler_runs_no_analyzer(string id, string store, string use)
    {
        string source = $"{store}\n{use}";
        Assert.Contains(Harness.Compile(source).GetDeclarationDiagnostics(), d => d.Id == "CS0426");
        Diagnostic[] found = [.. Generated(source, Harness.Parse)];
        Assert.Equal(id, Assert.Single(found).Id);
        Assert.Equal("v0.cs", found[0].Location.SourceTree!.FilePath);
        Assert.Equal([id], (await Harness.AnalyzeAsync(source)).Select(d => d.Id)); // with analyzers as well
    }

    [Theory]
    [InlineData(LanguageVersion.CSharp10)]
    [InlineData(LanguageVersion.CSharp12)]
    public void An_old_language_is_reported_there_as_well(LanguageVersion version) => Assert.Equal(
        ["FAS018"], Generated(
            $"[Store] public static partial class S {{ {Add} }} class U {{ object F(S.Session s) => s; }}",
            Harness.Parse.WithLanguageVersion(version)).Select(d => d.Id));

    [Fact]
    public void Code_can_suppress_an_error_as_it_can_any_other()
    {
        const string suppressed = "#pragma warning disable FAS001\n[Store] public static class S;";
        Assert.True(Assert.Single(Generated(suppressed, Harness.Parse)).IsSuppressed);
    }

    [Fact]
    public void A_type_that_is_no_engine_is_refused_with_the_names_of_the_engines()
    {
        string told = Assert.Single(Generated(Mistakes[^1].Store, Harness.Parse)).GetMessage(null);
        Assert.EndsWith(
            "the library has FasterEngine, HotRingEngine, TieredEngine, TransactionalEngine", told,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_updater_in_an_extension_block_belongs_to_the_class_around_it()
    {
        const string block = "extension(long page) { [InPlaceUpdater] public void Add(long by, ref long total) { } }";
        Assert.Empty(await Harness.AnalyzeAsync($"[Store] public static partial class S {{ {block} }}"));
        Diagnostic outside = Assert.Single(await Harness.AnalyzeAsync($"public static class S {{ {block} }}"));
        Assert.Equal("FAS014: 'Add' is marked [InPlaceUpdater], but 'S' is not marked [Store]",
            $"{outside.Id}: {outside.GetMessage(null)}");
    }

    private static ImmutableArray<Diagnostic> Generated(string source, CSharpParseOptions parse)
    {
        CSharpGeneratorDriver.Create([new StoreGenerator().AsSourceGenerator()], parseOptions: parse)
            .RunGeneratorsAndUpdateCompilation(Harness.Compile([source], parse), out _, out var found);
        return found;
    }
}
