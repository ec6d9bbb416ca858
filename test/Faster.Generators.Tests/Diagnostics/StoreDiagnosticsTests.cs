using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Tests.Diagnostics;

/// <summary>Each diagnostic: reported where it should be, and not where the mistake is fixed.</summary>
public class StoreDiagnosticsTests
{
    private const string Json = """
        [System.Text.Json.Serialization.JsonSerializable(typeof(Order))]
        sealed partial class Ctx : System.Text.Json.Serialization.JsonSerializerContext;
        """;

    private const string Add = "[InPlaceUpdater] static void Add(long key, long by, ref long total) => total += by;";

    private const string Next = "[InPlaceUpdater] static void Next(long key, ref long n, out long now) => now = ++n;";

    private const string Merge = "[Merger] static void Merge(long key, long older, ref long newer) => newer += older;";

    private const string Done = "[CompletionCallback] static void Done(Status status, long output) { }";

    [Theory]
    [InlineData("FAS001", $"[Store] public static class S {{ {Add} }}", $"[Store] public static partial class S {{ "
        + $"{Add} }}")]
    [InlineData("FAS001", $"[Store] public partial class S {{ {Add} }}", $"[Store] public static partial class S "
        + $"{{ {Add} }}")]
    [InlineData("FAS002", $"[Store] public static partial class S<T> {{ {Add} }}", $"[Store] public static partial "
        + $"class S {{ {Add} }}")]
    [InlineData("FAS002", $"class Outer {{ [Store] public static partial class S {{ {Add} }} }}",
        $"partial class Outer {{ [Store] public static partial class S {{ {Add} }} }}")]
    [InlineData("FAS003", "[Store] public static partial class S;",
        "[Store(Key = typeof(int), Value = typeof(int))] public static partial class S;")]
    [InlineData("FAS003", "[Store] public static partial class S { [InPlaceUpdater] static void Add(ref long "
        + "total) => total++; }",
        "[Store(Key = typeof(int))] public static partial class S { [InPlaceUpdater] static void Add(ref long "
            + "total) => total++; }")]
    [InlineData("FAS004", $"[Store(Key = typeof(int))] public static partial class S {{ {Add} }}",
        $"[Store(Key = typeof(long))] public static partial class S {{ {Add} }}")]
    [InlineData("FAS004", $"[Store] public static partial class S {{ {Add} [InitialUpdater] static void Start(long "
        + $"key, int by, ref long total) => total = by; }}",
        $"[Store] public static partial class S {{ {Add} [InitialUpdater] static void Start(long key, long by, ref "
            + $"long total) => total = by; }}")]
    [InlineData("FAS005", "[Store] public static partial class S { [InPlaceUpdater] static void Add(long key, long "
        + "by, long total) { } }",
        "[Store] public static partial class S { [InPlaceUpdater] static void Add(long key, long by, ref long "
            + "total) { } }")]
    [InlineData("FAS005", "[Store(Key = typeof(int))] public static partial class S { [SingleReader] static int "
        + "Get(long value) => 1; }",
        "[Store(Key = typeof(int))] public static partial class S { [SingleReader] static void Get(long value, out "
            + "int output) => output = 1; }")]
    [InlineData("FAS005", "[Store(Key = typeof(int), Value = typeof(int))] public static partial class S { "
        + "[CompletionCallback] static void Done(Status a, Status b) { } }",
        "[Store(Key = typeof(int), Value = typeof(int))] public static partial class S { [CompletionCallback] "
            + "static void Done(Status a, string b) { } }")]
    [InlineData("FAS006", "[Store] public static partial class S { [InitialUpdater] static void Start(long key, "
        + "long by, ref long total) => total = by; }",
        $"[Store] public static partial class S {{ {Add} [InitialUpdater] static void Start(long key, long by, ref "
            + $"long total) => total = by; }}")]
    [InlineData("FAS006", "[Store(Key = typeof(int))] public static partial class S { [InPlaceUpdater] static bool "
        + "Add(int key, ref long total) => false; }",
        "[Store(Key = typeof(int))] public static partial class S { [InPlaceUpdater] static void Add(int key, ref "
            + "long total) { } }")]
    [InlineData("FAS005", $"[Store] public static partial class S {{ {Add} [Merger] static void Merge(long older, "
        + $"long newer) {{ }} }}",
        $"[Store] public static partial class S {{ {Add} [Merger] static void Merge(long older, ref long newer) "
            + $"{{ }} }}")]
    [InlineData("FAS005", $"[Store] public static partial class S {{ {Add} [Merger] static void Merge(long key, "
        + $"long by, long older, ref long newer) {{ }} }}",
        $"[Store] public static partial class S {{ {Add} [Merger] static void Merge(long key, long older, ref long "
            + $"newer) {{ }} }}")]
    [InlineData("FAS006", "[Store] public static partial class S { [Merger] static void Merge(long key, long older, "
        + "ref long newer) { } }",
        $"[Store] public static partial class S {{ {Add} [Merger] static void Merge(long key, long older, ref long "
            + $"newer) {{ }} }}")]
    [InlineData("FAS007", $"[Store] public static partial class S {{ {Add} [InPlaceUpdater] static void B(long "
        + $"key, long by, ref long total) {{ }} }}",
        $"[Store] public static partial class S {{ {Add} [InitialUpdater] static void B(long key, long by, ref "
            + $"long total) {{ }} }}")]
    [InlineData("FAS008", "class Order; [Store(Key = typeof(int), Value = typeof(Order))] static partial class S;",
        $"class Order; {Json} [Store(Key = typeof(int), Value = typeof(Order), SerializerContext = typeof(Ctx))] "
            + $"static partial class S;")]
    [InlineData("FAS008", $"class Order; {Json} [Store(Key = typeof(int), Value = typeof(List<int>), "
        + $"SerializerContext = typeof(Ctx))] static partial class S;",
        $"class Order; {Json} [Store(Key = typeof(int), Value = typeof(Order), SerializerContext = typeof(Ctx))] "
            + $"static partial class S;")]
    [InlineData("FAS009", "public struct K { public int A; public long B; } [Store(Key = typeof(K), Value = "
        + "typeof(int))] public static partial class S;",
        "public struct K { public long A; public long B; } [Store(Key = typeof(K), Value = typeof(int))] public "
            + "static partial class S;")]
    [InlineData("FAS009", "public struct K { public long A; public byte B; } [Store(Key = typeof(K), Value = "
        + "typeof(int))] public static partial class S;",
        "[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, Pack = "
            + "1)] public struct K { public long A; public byte B; } [Store(Key = typeof(K), Value = typeof(int))] "
            + "public static partial class S;")]
    [InlineData("FAS010", "[Store(Key = typeof(double), Value = typeof(int))] public static partial class S;",
        "[Store(Key = typeof(int), Value = typeof(double))] public static partial class S;")]
    [InlineData("FAS010", "public record struct K(int A, float B); [Store(Key = typeof(K), Value = typeof(int))] "
        + "public static partial class S;",
        "public record struct K(int A, int B); [Store(Key = typeof(K), Value = typeof(int))] public static partial "
            + "class S;")]
    [InlineData("FAS011", "[Store(Key = typeof(int))] public static partial class S { [InPlaceUpdater] static "
        + "async void Add(int key, long total) => await Task.Yield(); }",
        "[Store(Key = typeof(int))] public static partial class S { [InPlaceUpdater] static void Add(int key, ref "
            + "long total) { } }")]
    [InlineData("FAS011", "[Store(Key = typeof(int))] public static partial class S { [InPlaceUpdater] static void "
        + "Add<T>(int key, ref long total) { } }",
        "[Store(Key = typeof(int))] public static partial class S { [InPlaceUpdater] static void Add(int key, ref "
            + "long total) { } }")]
    [InlineData("FAS012", "[Store(Key = typeof(int), Value = typeof(int))] public static partial class S { public "
        + "static int Session; }",
        "[Store(Key = typeof(int), Value = typeof(int))] public static partial class S { public static int Other; }")]
    [InlineData("FAS013", "[Store(Key = typeof(nint*), Value = typeof(int))] public static partial class S;",
        "[Store(Key = typeof(nint), Value = typeof(int))] public static partial class S;")]
    [InlineData("FAS013", "[Store(Value = typeof(int))] public static partial class S { struct K { public int A; } "
        + "[SingleReader] static void Get(K key, int value, out int output) => output = 1; }",
        "[Store(Value = typeof(int))] public static partial class S { public struct K { public int A; } "
            + "[SingleReader] static void Get(K key, int value, out int output) => output = 1; }")]
    [InlineData("FAS014", $"public static partial class S {{ {Add} }}", $"[Store] public static partial class S {{ "
        + $"{Add} }}")]
    [InlineData("FAS020", $"[Store(Engine = typeof(MemoryEngine))] public static partial class S {{ {Add} {Merge} }}"
        + MemoryEngine.Source, $"[Store] public static partial class S {{ {Add} {Merge} }}")]
    [InlineData("FAS020", $"[Store(Engine = typeof(HotRingEngine))] public static partial class S {{ {Add} {Merge} }}",
        $"[Store(Engine = typeof(HotRingEngine))] public static partial class S {{ {Add} }}")]
    [InlineData("FAS020", $"[Store(Also = [typeof(HotRingEngine)])] public static partial class S {{ {Add} {Merge} }}",
        $"[Store(Also = [typeof(TieredEngine)])] public static partial class S {{ {Add} {Merge} }}")]
    [InlineData("FAS024", $"[Store(Also = [typeof(FasterEngine)])] public static partial class S {{ {Add} {Done} }}",
        $"[Store(Also = [typeof(HotRingEngine)])] public static partial class S {{ {Add} {Done} }}")]
    [InlineData("FAS024", "[Store(Also = [typeof(TieredEngine), typeof(TieredEngine)])] public static partial class S "
        + $"{{ {Add} }}",
        "[Store(Engine = typeof(TieredEngine), Also = [typeof(FasterEngine)])] public static partial class S "
        + $"{{ {Add} }}")]
    [InlineData("FAS012", $"[Store(Also = [typeof(TieredEngine)])] public static partial class S {{ {Add} "
        + "class TieredStore; }", $"[Store] public static partial class S {{ {Add} class TieredStore; }}")]
    [InlineData("FAS021", $"[Store(Engine = typeof(StoreOptions))] public static partial class S {{ {Add} }}",
        $"[Store(Engine = typeof(MemoryEngine))] public static partial class S {{ {Add} }} " + MemoryEngine.Source)]
    [InlineData("FAS022", $"[Store] public static partial class S {{ {Next} [CopyUpdater] static void Copy(long key, "
        + "long old, ref long n) => n = old + 1; }",
        $"[Store] public static partial class S {{ {Next} [CopyUpdater] static void Copy(long key, long old, ref "
            + "long n, out long was) => (n, was) = (old + 1, old); }")]
    [InlineData("FAS004", $"[Store] public static partial class S {{ {Next} [CopyUpdater] static void Copy(long key, "
        + "long old, ref long n, out int was) => (n, was) = (old + 1, 0); }",
        $"[Store] public static partial class S {{ {Next} [SingleReader] static void Get(long value, out int was) "
            + "=> was = 0; }")]
    [InlineData("FAS005", "[Store] public static partial class S { [InPlaceUpdater] static void Next(long key, ref "
        + "long n, ref long now) => now = ++n; }", $"[Store] public static partial class S {{ {Next} }}")]
    [InlineData("FAS005", "[Store] public static partial class S { [InPlaceUpdater] static void Next(long key, ref "
        + "long n, out Span<byte> now) => now = default; }", $"[Store] public static partial class S {{ {Next} }}")]
    [InlineData("FAS023", $"[Store] public static partial class S {{ {Next} [Merger] static void Merge(long older, "
        + "ref long newer) => newer += older; }", $"[Store] public static partial class S {{ {Next} }}")]
    [InlineData("FAS101", Use + "session.Rmw(1, 1); } }", Use + "_ = session.Rmw(1, 1); } }")]
    [InlineData("FAS101", Use + "Action a = () => session.Rmw(1, 1); } }", Use + "await session.RmwAsync(1, 1); } }")]
    [InlineData("FAS101", Use + "session?.Delete(1); } }", Use + "if (session.Delete(1) == Status.Pending) return; "
        + "} }")]
    [InlineData("FAS102", Dropped + "session.RmwAsync(1, 1); } }", Dropped + "_ = session.RmwAsync(1, 1); } }")]
    [InlineData("FAS102", Dropped + "store?.CommitAsync(); } }", Dropped + "store.CommitAsync().Wait(); } }")]
    [InlineData("FAS102", Dropped + "Action a = () => session.DisposeAsync(); } }",
        Dropped + "Func<Task> a = () => store!.CommitAsync(); Func<Task> b = async () => await a(); } }")]
    [InlineData("FAS102", Use + "void Local() { session.DeleteAsync(1); } Local(); } }",
        Use + "await session.DeleteAsync(1); } }")]
    public async Task Reported_where_it_should_be_and_only_there(string id, string wrong, string right)
    {
        Diagnostic[] ours = await Ours(wrong);
        Assert.Equal([id], ours.Select(d => d.Id).Distinct());
        Assert.All(ours, d => Assert.Equal("User.cs", d.Location.SourceTree!.FilePath));
        Assert.Equal([], (await Ours(right)).Select(d => d.ToString()));
    }

    [Theory]
    [InlineData("[InPlaceUpdater] static void Add(long key, long by, long total) { }",
        "'long total' is the value that it sets, so it must be 'ref'",
        "static void Add(long key, long by, ref long value)")]
    [InlineData("[InPlaceUpdater] static int Add(long key, ref double total) => 1;",
        "it returns int and not void or bool", "static void Add(long key, ref double value)")]
    [InlineData("[InPlaceUpdater] static void Add(Span<byte> value) { }",
        "'Span<byte> value' is in the position of the value that it sets", "static bool Add(ValueSlot value)")]
    [InlineData("[InPlaceUpdater] static void Add(ReadOnlySpan<int> key, ref long total) { }",
        "'ReadOnlySpan<int> key' can't be a key or input", "static void Add(int[] key, ref long value)")]
    [InlineData("[InPlaceUpdater] static void Add(long key, Span<byte> input, ref long total) { }",
        "'Span<byte> input' can't be a key or input",
        "static void Add(long key, ReadOnlySpan<byte> input, ref long value)")]
    [InlineData("[InPlaceUpdater] static void Add(ref long key, ref long total) { }",
        "'ref long key' is in the position of a key or input, which must be read-only",
        "static void Add(long key, ref long value)")]
    [InlineData("[CopyUpdater] static void Add(long key, int by, int old, ref long total) { }",
        "'int old' is in the position of a value, but the value is long",
        "static void Add(long key, int by, long oldValue, ref long value)")]
    [InlineData("[CopyUpdater] static void Add(ref long total) { }", "it has too few parameters",
        "static void Add(long oldValue, ref long value)")]
    [InlineData("[SingleWriter] static void Put(long key, int extra, long newValue, ref long value) { }",
        "it has too many parameters: besides the values it may take the key",
        "static void Put(long key, long newValue, ref long value)")]
    [InlineData("[SingleReader] static void Get(long key, long value, string output) { }",
        "'string output' is the output, which must be 'out'",
        "static void Get(long key, long value, out string output)")]
    public async Task A_wrong_signature_is_told_what_is_wrong_with_it(string function, string why, string right)
    {
        Diagnostic found = Assert.Single(await Ours($"[Store] public static partial class S {{ {function} }}"));
        Assert.Equal("FAS005", found.Id);
        Assert.Contains(why, found.GetMessage(null), StringComparison.Ordinal);
        Assert.Contains($"'{right}'", found.GetMessage(null), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_capability_that_an_engine_lacks_is_refused_with_the_engines_that_have_it()
    {
        Diagnostic found = Assert.Single(await Ours(
            $"[Store(Engine = typeof(MemoryEngine))] public static partial class S {{ {Add} {Merge} }}"
            + MemoryEngine.Source));
        Assert.Equal(
            "The engine 'MemoryEngine' does not merge deltas, so a store on it has no [Merger]; engines that can: "
            + "FasterEngine, TieredEngine", found.GetMessage(null));
    }

    [Theory]
    [MemberData(nameof(Sources.All), MemberType = typeof(Sources))]
    public async Task Sound_stores_are_left_in_peace(string name, string source)
    {
        Assert.NotEmpty(name);
        Assert.Equal([], (await Ours(source)).Select(d => d.ToString()));
    }

    [Fact]
    public async Task An_engine_that_lacks_a_capability_is_marked_where_it_is_named()
    {
        string source = "[Store(Also = [typeof(TieredEngine), typeof(HotRingEngine)])]\n"
            + $"public static partial class S {{ {Add} {Merge} }}";
        Diagnostic found = Assert.Single(await Ours(source));
        Assert.Equal("typeof(HotRingEngine)", found.Location.SourceTree!.ToString().Substring(
            found.Location.SourceSpan.Start, found.Location.SourceSpan.Length));
    }

    [Fact]
    public async Task A_store_is_as_visible_as_its_engine()
    {
        string store = $"[Store(Engine = typeof(MemoryEngine))] public static partial class S {{ {Add} }} ";
        string hidden = store + MemoryEngine.SourceAs("internal");
        Assert.Empty(Harness.Problems(Harness.BuildStrict(hidden)));
        string nested = store + MemoryEngine.SourceAs("private");
        Diagnostic[] found = await Ours($"public static partial class O {{ {nested} }}");
        Assert.Equal(["FAS013"], found.Select(d => d.Id).Distinct());
    }

    private const string Use = $"[Store] public static partial class S {{ {Add} }} "
        + "static class Program { static async Task Run(S.Session session) { await Task.Yield(); ";

    private const string Dropped = $"[Store] public static partial class S {{ {Add} }} "
        + "static class Program { static void Run(S.Session session, S.Store? store) { ";

    private static Task<Diagnostic[]> Ours(string source) => Harness.AnalyzeAsync(source);
}
