using Faster.Generators.Tests.Fakes;
using Faster.Testing;

namespace Faster.Generators.Tests.Emitting;

/// <summary>
/// Every kind of value with a kind of key, and functions left out in many ways: all must compile clean. In each run the
/// keys and the concurrency are others.
/// </summary>
public class CombinationTests
{
    private const string Types = """
        public enum Colour : byte { Red }
        public record struct Pair(int A, int B);
        public record struct Triple(int A, int B, int C);
        public sealed record Order(string Text);
        public record struct Tagged(string Text);
        [System.Text.Json.Serialization.JsonSerializable(typeof(Order))]
        [System.Text.Json.Serialization.JsonSerializable(typeof(Tagged))]
        [System.Text.Json.Serialization.JsonSerializable(typeof(int?))]
        public sealed partial class Ctx : System.Text.Json.Serialization.JsonSerializerContext;

        """;

    private static readonly string[] Data =
        ["long", "byte", "char", "Colour", "Pair", "Triple", "Guid", "byte[]", "ReadOnlyMemory<byte>", "string",
            "Order", "Tagged", "int?"];

    // {0} a value that is read; what is written: {2} by a single writer, {3} in place, {4} by the other updaters;
    // {5} an assignment where the target is an out parameter; {6} a key
    private static readonly string[] Functions =
    [
        "",
        "[SingleWriter] static void A({0} newValue, {2} value) {{ {5} }}",
        "[ConcurrentWriter] static bool A({0} newValue, {3} value) => false;",
        "[SingleWriter] static void A({6} key, {0} newValue, {2} value) {{ {5} }} [ConcurrentWriter] static void "
            + "B({6} key, {0} newValue, {3} value) {{ }}",
        "[CopyUpdater] static void A({0} old, {4} value) {{ {5} }} [InitialUpdater] static void B({4} value) {{ {5} }}",
        "[CopyUpdater] static void A({6} key, ReadOnlySpan<byte> input, {0} old, {4} value) {{ {5} }} "
            + "[InitialUpdater] static void B({6} key, ReadOnlySpan<byte> input, {4} value) {{ {5} }} "
            + "[InPlaceUpdater] static bool C({6} key, ReadOnlySpan<byte> input, {3} value) => true;",
        "[CopyUpdater] static void A({6} key, ReadOnlySpan<char> input, {0} old, {4} value) {{ {5} }} "
            + "[InitialUpdater] static void B(ReadOnlySpan<char> input, {4} value) {{ {5} }}",
        "[SingleReader, ConcurrentReader] static void A({6} key, object? input, {0} value, out int output) => "
            + "output = 1; [CompletionCallback] static void D(Exception? error, int output, string context) {{ }}",
        "[ConcurrentReader] static void A(ref readonly int input, {0} value, ref string? output) => output = null; "
            + "[CompletionCallback] static void D(object context) {{ }}",
        "[CopyUpdater] static void A({6} key, {0} old, {4} value, out string? output) {{ {5} output = null; }} "
            + "[InitialUpdater] static void B({4} value, out string? output) {{ {5} output = null; }} "
            + "[CompletionCallback] static void D(Status status, string? updated, Exception? error) {{ }}",
        "[CopyUpdater] static void A({0} old, {4} value, out List<int> output) {{ {5} output = []; }} "
            + "[InitialUpdater] static void B({4} value, out List<int> output) {{ {5} output = []; }} "
            + "[InPlaceUpdater] static bool C({6} key, {3} value, out List<int> output) "
            + "{{ output = []; return true; }}",
    ];

    public static TheoryData<int> All => [.. Enumerable.Range(0, Functions.Length)];

    [Theory]
    [MemberData(nameof(All))]
    public async Task Stores_of_all_types_compile_without_a_warning(int functions)
    {
        var source = new System.Text.StringBuilder(Types);
        Random random = TestSeed.NewRandom(functions);
        int shift = random.Next(Data.Length), turn = random.Next(2);
        for (int v = 0; v < Data.Length; v++)
        {
            string key = Data[((v * 5) + shift) % Data.Length];
            string concurrency = (v + turn) % 2 == 0 ? "Latched" : "User";
            source.Append($"[Store(Key = typeof({key}), Value = typeof({Data[v]}), SerializerContext = ")
                .Append($"typeof(Ctx), Concurrency = StoreConcurrency.{concurrency})] public static partial class ")
                .Append($"S{v} {{ {Fill(Functions[functions], key, Data[v])} }}\n");
        }

        string text = source.ToString();
        Microsoft.CodeAnalysis.Compilation compilation = Harness.BuildStrict(text);
        Assert.Equal(Data.Length, compilation.SyntaxTrees.Count(t => t.FilePath.Contains("StoreGenerator")));
        string[] problems = await Harness.AllProblemsAsync(compilation);
        Assert.True(problems.Length == 0, string.Join("\n", problems) + "\n" + text);
    }

    private static string Fill(string functions, string key, string value)
    {
        bool isBytes = value is "byte[]" or "ReadOnlyMemory<byte>";
        string keyType = key is "byte[]" or "ReadOnlyMemory<byte>" ? "ReadOnlySpan<byte>" : key;
        return isBytes
            ? string.Format(null, functions, "ReadOnlySpan<byte>", "", "Span<byte>", "ValueSlot",
                "IBufferWriter<byte>", "", keyType)
            : string.Format(null, functions, value, "", "out " + value, "ref " + value, "out " + value, "value = "
                + "default!;", keyType);
    }
}
