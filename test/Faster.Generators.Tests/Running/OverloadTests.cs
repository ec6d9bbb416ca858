using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.Tests.Running;

/// <summary>
/// A store calls the method that is marked, whatever other methods of its name the class has. Each class runs on each
/// engine; the others would add 1000, or throw.
/// </summary>
public class OverloadTests
{
    private const string Add = "[InPlaceUpdater] static void Add(long page, long by, ref long total) => total += by;";

    // The result of two updates by 5 is 10.
    private static readonly string[] Numbers =
    [
        "[InPlaceUpdater] static void Add(long page, in long by, ref long total) => total += by; "
            + "static void Add(long page, long by, ref long total) => total += 1000;",
        "[InPlaceUpdater] static void Add(in long page, long by, ref long total) => total += by; "
            + "static void Add(long page, in long by, ref long total) => total += 1000;",
        "[InPlaceUpdater] static void Add(in long page, in long by, ref long total) => total += by; "
            + "static void Add(long page, long by, ref long total) => total += 1000;",
        "[InPlaceUpdater] static void Add(ref readonly long page, ref readonly long by, ref long total) => total += by;"
            + "static void Add(long page, long by, ref long total) => total += 1000;",
        Add + " static void Add(in long page, in long by, ref long total) => total += 1000;",
        Add + " static void Add(params object[] all) => throw new InvalidOperationException();",
        Add + " static void Add(long page, long by, ref long total, int more = 0) => total += 1000;",
        Add + " static void Add(long page, long by, ref long total, params int[] more) => total += 1000;",
        Add + " static void Add<T>(T page, T by, ref T total) => throw new InvalidOperationException();",
        Add + " static void Add<T>(long page, T by, ref long total) => total += 1000;",
        Add + " static void Add(this object page, object by, ref long total) => total += 1000;",
        Add + " static void Add(dynamic page, dynamic by, ref long total) => total += 1000;",
        Add + " static void Add(Int128 page, Int128 by, ref long total) => total += 1000;",
        Add + " static void Add(long? page, long? by, ref long total) => total += 1000;",
        Add + " [System.Runtime.CompilerServices.OverloadResolutionPriority(-1)] "
            + "static void Add(object page, long by, ref long total) => total += 1000;",
        Add.Replace("]", ", System.Runtime.CompilerServices.OverloadResolutionPriority(2)]")
            + " [System.Runtime.CompilerServices.OverloadResolutionPriority(1)] "
            + "static void Add(object page, long by, ref long total) => total += 1000;",
        Add + " extension(object page) { public void Add(long by, ref long total) => total += 1000; }",
        Add + " extension<T>(T page) { public void Add(long by, ref long total) => total += 1000; }",
        "[InPlaceUpdater] static void Equals(long page, long by, ref long total) => total += by; "
            + "static void Equals(object page, object by, ref long total) => total += 1000;",
        // All functions of one name.
        "[InitialUpdater] static void Do(long page, long by, ref long total) => total = by; "
            + "[CopyUpdater] static void Do(long page, long by, long old, ref long total) => total = old + by; "
            + "[InPlaceUpdater] static void Do(in long page, long by, ref long total) => total += by; "
            + "[SingleReader, ConcurrentReader] static void Do(in long value, out long output) => output = value; "
            + "static void Do(object value, out long output) => output = 1000;",
        "[InPlaceUpdater] static bool Add(long page, in long by, ref long total) { total += by; return true; } "
            + "[CopyUpdater] static void Add(long page, in long by, in long old, ref long total) => total = old + by; "
            + "static bool Add(long page, long by, ref long total) { total += 1000; return true; } "
            + "static void Add(long page, long by, long old, ref long total) => total = old + 1000;",
        "[InPlaceUpdater] static void Add(long page, in long by, ref long total, out long output) => "
            + "output = total += by; "
            + "static void Add(long page, long by, ref long total, out long output) => output = total += 1000;",
        "[CopyUpdater] static void Add(long page, in long by, in long old, ref long total) => total = old + by; "
            + "static void Add(long page, long by, long old, ref long total) => total = old + 1000;",
        Add + " [SingleReader] static void Get(in long value, out long output) => output = value; "
            + "static void Get(long value, out long output) => output = value + 1000;",
        "[InPlaceUpdater] static void Add(long page, scoped in long by, scoped ref long total) => total += by; "
            + "static void Add(long page, long by, ref long total) => total += 1000;",
    ];

    // Keys and values that reach functions by a conversion: the key, a prefix, and an input.
    private static readonly (string Key, string Value, string Functions)[] Converted =
    [
        ("string", "long", "[InPlaceUpdater] static void Add(ReadOnlySpan<char> word, long by, ref long total) "
            + "=> total += by; static void Add(string word, long by, ref long total) => total += 1000;"),
        ("string", "long", "[InPlaceUpdater] static void Add(string word, long by, ref long total) => total += by; "
            + "static void Add(ReadOnlySpan<char> word, long by, ref long total) => total += 1000;"),
        ("string", "string", "[CopyUpdater] static void Add(string word, long by, string old, ref string total) => "
            + "total = Sum(old, by); static void Add(string word, long by, ReadOnlySpan<char> old, ref string total) "
            + "=> total = \"1000\"; "
            + "static string Sum(string old, long by) => $\"{(old == \"\" ? 0 : long.Parse(old)) + by}\";"),
        ("string", "string", "[InPlaceUpdater] static void Add(in string word, in long by, ref string total) => "
            + "total = $\"{(total == \"\" ? 0 : long.Parse(total)) + by}\"; "
            + "static void Add(string word, long by, ref string total) => total = \"1000\";"),
        ("string", "byte[]", "[CopyUpdater] static void Add(string word, long by, ReadOnlySpan<byte> old, "
            + "IBufferWriter<byte> total) { int sum = (old.Length == 0 ? 0 : old[0]) + (int)by; "
            + "BuffersExtensions.Write<byte>(total, [(byte)sum]); } "
            + "static void Add(string word, long by, ReadOnlySpan<byte> old, Faster.Contracts.ValueBuffer total) => "
            + "throw new InvalidOperationException(); "
            + "static void Add(string word, long by, byte[] old, object total) { } "
            + "static void Add<T>(string word, long by, Span<byte> old, T total) { } "
            + "static void Add(string word, long by, string old, IBufferWriter<byte> total) { }"),
        ("string", "byte[]", "[InitialUpdater] static void Do(long by, IBufferWriter<byte> total) => "
            + "BuffersExtensions.Write<byte>(total, [(byte)by]); "
            + "[CopyUpdater] static void Do(long by, ReadOnlySpan<byte> old, IBufferWriter<byte> total) => "
            + "BuffersExtensions.Write<byte>(total, [(byte)(old[0] + by)]); "
            + "[InPlaceUpdater] static bool Do(long by, scoped ref ValueSlot total) "
            + "{ total.Bytes[0] += (byte)by; return true; } "
            + "static bool Do(long by, in ValueSlot total, int more = 1) => throw new InvalidOperationException(); "
            + "static bool Do(long by, ValueSlot total, int more = 1) => throw new InvalidOperationException(); "
            + "static void Do(long by, object total) => throw new InvalidOperationException();"),
    ];

    private static readonly string[] Engines = ["FasterEngine", "TieredEngine", "HotRingEngine"];

    public static TheoryData<string, string, string> All
    {
        get
        {
            var all = new TheoryData<string, string, string>();
            foreach (string functions in Numbers) all.Add("long", "long", functions);
            foreach ((string key, string value, string functions) in Converted) all.Add(key, value, functions);
            return all;
        }
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task The_marked_method_runs(string key, string value, string functions)
    {
        string stores = string.Concat(Engines.Select(engine =>
            $"namespace On{engine} {{ [Store(Engine = typeof({engine}), Key = typeof({key}), Value = typeof({value}))] "
            + $"public static partial class S {{ {functions} }} }}\n"));
        AssertBindings(stores, [.. Engines.Select(static engine => $"On{engine}.S")]);
        string k = key == "string" ? "\"a\"" : "1L";
        string shown = value == "byte[]" ? "total.Value![0]" : "total.Value";
        string runs = string.Concat(Engines.Select(engine => $$"""
            {
                await using On{{engine}}.S.Store store = await On{{engine}}.S.OpenAsync(null);
                await using On{{engine}}.S.Session session = store.StartSession();
                await session.RmwAsync({{k}}, 5);
                await session.RmwAsync({{k}}, 5);
                var total = await session.ReadAsync({{k}});
                log.Add($"{{engine}} {{{shown}}}");
            }

            """));
        string[] log = await Harness.RunAsync(
            $"{stores} public static class Program {{ public static async Task Run(List<string> log) {{ {runs} }} }}");
        Assert.Equal(Engines.Select(static engine => $"{engine} 10"), log);
    }

    [Theory]
    [InlineData("[Merger] static void Do(in long older, ref long newer) => newer += older; "
        + "static void Do(long older, ref long newer) => newer += 1000; " + Add)]
    [InlineData("[CompletionCallback] static void Done(in object context, in Status status, in long output) { } "
        + "static void Done(object context, Status status, long output) { } " + Add)]
    [InlineData("[SingleWriter] static void Put(in long newValue, ref long value) => value = newValue; "
        + "[ConcurrentWriter] static void Put(long page, in long newValue, ref long value) => value = newValue; "
        + "static void Put(long newValue, ref long value) { } "
        + "static void Put(long page, long newValue, ref long value) { } " + Add)]
    [InlineData("[InPlaceUpdater] static void Add(long page, ReadOnlySpan<byte> by, ref long total) { } "
        + "static void Add(long page, byte[] by, ref long total) { } "
        + "static void Add(long page, in ReadOnlySpan<byte> by, ref long total) { } ")]
    [InlineData("[InPlaceUpdater] static void Add(long page, in ReadOnlySpan<char> by, ref long total) { } "
        + "static void Add(long page, string by, ref long total) { } "
        + "static void Add(long page, ReadOnlySpan<char> by, ref long total) { } ")]
    [InlineData("[InPlaceUpdater] static void Add(long page, in List<string?> by, ref long total) { } "
        + "static void Add(long page, List<string?> by, ref long total) { } "
        + "static void Add(long page, IEnumerable<string?> by, ref long total) { } ")]
    public void The_marked_method_is_called(string functions) => AssertBindings(
        $"[Store(Key = typeof(long), Value = typeof(long))] public static partial class S {{ {functions} }}", "S");

    [Fact]
    public async Task An_overload_that_any_call_would_reach_is_refused()
    {
        Diagnostic found = Assert.Single(await Harness.AnalyzeAsync(
            $"[Store] public static partial class S {{ {Add} "
            + "[System.Runtime.CompilerServices.OverloadResolutionPriority(1)] "
            + "static void Add(object page, long by, ref long total) => total += 1000; }"));
        Assert.Equal("FAS011", found.Id);
        Assert.Contains("OverloadResolutionPriority", found.GetMessage(null), StringComparison.Ordinal);
    }

    [Fact]
    public void A_method_without_overloads_is_called_directly() => Assert.DoesNotContain(
        "Parts", Assert.Single(Harness.Emit($"[Store] public static partial class S {{ {Add} }}")),
        StringComparison.Ordinal);

    // All calls of the user's class from emitted code are calls of marked methods, and each of them is called.
    private static void AssertBindings(string source, params string[] stores)
    {
        Compilation compilation = Harness.Build(source);
        Assert.Empty(Harness.Problems(compilation));
        SyntaxTree user = compilation.SyntaxTrees.Single(t => t.FilePath == "User.cs");
        var called = new HashSet<ISymbol>(SymbolEqualityComparer.Default);
        foreach (SyntaxTree tree in compilation.SyntaxTrees.Where(t => t.FilePath.EndsWith(".g.cs")))
        {
            SemanticModel model = compilation.GetSemanticModel(tree);
            called.UnionWith(tree.GetRoot().DescendantNodes().OfType<InvocationExpressionSyntax>()
                .Select(i => model.GetSymbolInfo(i).Symbol).OfType<IMethodSymbol>()
                .Where(m => m.DeclaringSyntaxReferences.Any(r => r.SyntaxTree == user)));
        }

        IMethodSymbol[] marked = [.. stores.SelectMany(store => compilation.GetTypeByMetadataName(store)!.GetMembers())
            .OfType<IMethodSymbol>()
            .Where(m => m.GetAttributes().Any(a => a.AttributeClass!.ContainingNamespace.Name == "Faster"))];
        Assert.NotEmpty(marked);
        Assert.Equal(marked.Select(m => $"{m}").Order(), called.Select(m => $"{m}").Order());
    }
}
