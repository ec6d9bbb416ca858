using System.Text;
using Faster.Generators.Tests.Emitting;

namespace Faster.Generators.Tests.Fakes;

/// <summary>A sound class of random types, functions, names and surroundings, by a seed.</summary>
internal static class RandomVariant
{
    private static readonly string[] Keys =
        ["long", "int", "byte", "char", "Guid", "nint", "string", "byte[]", "ReadOnlyMemory<byte>", "K", "E",
            "(int, int)"];

    private static readonly string[] Values =
        ["long", "int", "bool", "double", "char", "Guid", "decimal", "string", "V", "W", "E", "(long, int)", "DateTime",
            "KeyValuePair<int, int>", "byte[]", "nuint"];

    private static readonly string[] Inputs =
        ["", "long", "int", "string", "string?", "object", "ReadOnlySpan<byte>", "ReadOnlySpan<char>", "V", "List<V>",
            "Action<int>?", "int?", "(string Name, int Age)", "IReadOnlyDictionary<string, V?>", "byte[]", "E[]",
            "Type"];

    private static readonly string[] Classes =
        ["Orders", "@class", "@record", "Ünï", "_1", "Key", "Faster", "System", "Value", "@void", "Read", "日本",
            "Input"];

    private const string Types = "public record struct K(int A, int B); public enum E : short { A } "
        + "public record struct V(int A, byte B, double C); public struct W { public float A; }";

    public static Variant Write(int seed)
    {
        var random = new Random(seed);
        string key = One(Keys), value = One(Values), input = One(Inputs), read = One(Inputs);
        bool isRaw = value == "byte[]";
        string visibility = One(["public", "internal", ""]);
        string keyType = key is "byte[]" or "ReadOnlyMemory<byte>" ? "ReadOnlySpan<byte>" : key;
        string source = isRaw ? "ReadOnlySpan<byte>" : One(["", "in ", "ref readonly "]) + value;
        string made = isRaw ? "IBufferWriter<byte>" : "ref " + value;
        var body = new StringBuilder();
        string updated = random.Next(4) == 0 ? $", out {One(["long", "string?", "V", "int[]"])} output" : "";
        bool hasInPlace = Maybe(), hasCopy = Maybe() || (hasInPlace && isRaw);
        if (hasInPlace || hasCopy)
        {
            if (Maybe()) Function("InitialUpdater", "void", Prefix(input), $"{made} value{updated}");
            if (hasInPlace)
            {
                bool isBool = isRaw || (hasCopy && Maybe());
                string slot = isRaw ? "ValueSlot value" : $"{made} value";
                Function("InPlaceUpdater", isBool ? "bool" : "void", Prefix(input), slot + updated);
            }

            if (hasCopy) Function("CopyUpdater", "void", Prefix(input), $"{source} oldValue, {made} value{updated}");
            if (Maybe() && !(isRaw && !hasCopy) && updated.Length == 0)
            {
                Function("Merger", "void", Prefix(""),
                    isRaw ? $"{source} older, {source} newer, {made} merged" : $"{source} older, {made} newer");
            }
        }

        string output = One(["long", "string", "string?", "V", "int[]"]);
        bool reads = Maybe();
        string reader = One(["SingleReader", "ConcurrentReader", "SingleReader, ConcurrentReader"]);
        if (reads) Function(reader, "void", Prefix(read), $"{source} value, out {output} output");
        string single = $"{source} newValue, {(isRaw ? "Span<byte>" : made)} value";
        if (Maybe()) Function("SingleWriter", "void", Prefix(""), single);
        string concurrent = $"{source} newValue, {(isRaw ? "ValueSlot" : made)} value";
        if (Maybe()) Function("ConcurrentWriter", "bool", Prefix(""), concurrent);
        string callback = One(["Status status", "Exception? error, Status status", "object? context",
            "Guid context, Status status", "Status status, string context, Exception? error"]);
        if (Maybe()) Function("CompletionCallback", "void", "", callback);

        string user = ", Concurrency = StoreConcurrency.User", latched = ", Concurrency = StoreConcurrency.Latched";
        string concurrency = One(["", user, latched]);
        string text = $"[Store(Key = typeof({key}), Value = typeof({value}){concurrency})] {visibility} static "
            + $"partial class {One(Classes)} {{ {body} }}";
        return new Variant(Around(random, seed, text), "");

        T One<T>(T[] items) => items[random.Next(items.Length)];

        bool Maybe() => random.Next(2) == 0;

        string Prefix(string given)
        {
            string passing = One(["", "in "]);
            string keys = Maybe() ? $"{passing}{keyType} key, " : "";
            return given.Length > 0 && Maybe() ? $"{keys}{given} input, " : keys;
        }

        void Function(string kind, string returned, string prefix, string tail)
        {
            string name = kind.Split(',')[0] + "_" + random.Next(10);
            string end = "throw new NotSupportedException();";
            string access = One(["", "private ", "internal "]);
            body.Append($"[{kind}] {access}static {returned} {name}({prefix}{tail}) => {end} ");
        }
    }

    private static string Around(Random random, int seed, string text)
    {
        string[] kinds = ["class", "struct", "record", "record struct", "interface"];
        for (int depth = random.Next(3); depth > 0; depth--)
            text = $"public partial {kinds[random.Next(kinds.Length)]} O{depth} {{ {text} }}";
        string[] contexts = ["", "#nullable enable\n", "#nullable disable warnings\n"];
        string[] spaces = ["A", "@in", "Faster", "System"];
        return $"{contexts[random.Next(3)]}namespace R{seed}.{spaces[random.Next(4)]} {{ {Types} {text} }}";
    }
}
