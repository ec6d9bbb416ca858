using Faster.Generators.Tests.Fakes;

namespace Faster.Generators.Tests.Emitting;

/// <summary>What a store's schema says of the bytes of its keys and values.</summary>
public class LayoutTests
{
    private static readonly (string Type, string Types, string Layout)[] Values =
    [
        ("long", "", "long"),
        ("E", "public enum E : short { A }", "short"),
        ("E", "public enum E : ulong { A }", "ulong"),
        ("Guid", "", "System.Guid"),
        ("byte[]", "", "bytes"),
        ("string", "", "utf-8"),
        ("V", "public struct V { public long Seen; public double Max; }", "{ long Seen; double Max; }"),
        ("V", "public struct V { public double Max; public long Seen; }", "{ double Max; long Seen; }"),
        ("V", "public readonly record struct V(long Seen, V2 Inner); public struct V2 { public byte A; char B; }",
            "{ long Seen; { byte A; char B; } Inner; }"),
        ("V", "public struct V { public static int Count; public const int Most = 1; int? A; public E Kind; } "
            + "public enum E : byte { A }", "{ int? A; byte Kind; }"),
        ("(int Seen, double Max)", "", "(int Seen, double Max)"),
        ("KeyValuePair<int, double>", "", "{ int Key; double Value; }"),
        ("V", "[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, "
            + "Pack = 2)] public struct V { public byte A; public int B; }", "pack 2 { byte A; int B; }"),
        ("V", "[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Auto)] "
            + "public struct V { public byte A; public int B; }", "auto { byte A; int B; }"),
        ("V", "[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Explicit)] "
            + "public struct V { [System.Runtime.InteropServices.FieldOffset(4)] public int B; }", "{ int B @4; }"),
        ("V", "[System.Runtime.CompilerServices.InlineArray(8)] public struct V { public W A; } "
            + "public struct W { public int X; }", "{ { int X; } A; } x 8"),
        ("V<int>", "public struct V<T> where T : unmanaged { public T A; }", "{ int A; }"),
        ("V", "public struct V { [StoredAs(\"Seen\")] public long LastSeen; [StoredAs(\"Max\")] "
            + "public double Most { get; set; } }", "{ long Seen; double Max; }"),
        ("V", "public record struct V([StoredAs(\"a \\\"b\\\"\")] long LastSeen);", "{ long a \"b\"; }"),
        ("Order", "public class Order;", "json Order"),
        ("Order", "[StoredAs(\"Orders\")] public class Order;", "json Orders"),
        ("List<Order>", "public class Order;", "json List<Order>"),
        ("Order[]", "public class Order;", "json Order[]"),
    ];

    [Fact]
    public void A_layout_has_what_matters_for_the_bytes_and_no_name_of_a_struct_or_namespace()
    {
        var source = new System.Text.StringBuilder();
        for (int i = 0; i < Values.Length; i++)
        {
            (string type, string types, string layout) = Values[i];
            bool isJson = layout.StartsWith("json", StringComparison.Ordinal);
            source.Append($"namespace N{i} {{ {types} [Store(Key = typeof(int), Value = typeof({type})")
                .Append(isJson ? ", SerializerContext = typeof(C)" : "").Append(")] public static partial class S; ");
            if (isJson)
            {
                source.Append($"[System.Text.Json.Serialization.JsonSerializable(typeof({type}))] ")
                    .Append("public partial class C : System.Text.Json.Serialization.JsonSerializerContext; ");
            }

            source.Append("}\n");
        }

        string[] emitted = Harness.Emit(source.ToString());
        Assert.Equal(Values.Select(v => v.Layout), emitted.Select(text =>
        {
            string line = text.Split('\n').Single(l => l.Contains("ValueLayout = ", StringComparison.Ordinal));
            return line[(line.IndexOf('"', StringComparison.Ordinal) + 1)..line.LastIndexOf('"')].Replace("\\\"", "\"");
        }));
    }

    [Fact]
    public void Structs_that_contain_themselves_do_not_hang_the_compiler()
    {
        string[] emitted = Harness.Emit(
            "public struct A { public B X, Y; } public struct B { public A X, Y; } "
            + "public struct G<T> where T : unmanaged { public G<G<T>> X, Y; } "
            + "[Store(Key = typeof(int), Value = typeof(A))] public static partial class S; "
            + "[Store(Key = typeof(int), Value = typeof(G<int>))] public static partial class T;");
        Assert.NotNull(emitted);
    }
}
