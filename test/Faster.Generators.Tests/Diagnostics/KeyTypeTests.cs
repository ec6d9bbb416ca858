using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Tests.Diagnostics;

/// <summary>Keys that may be equal although their bytes are not, and structs too large: told, and no others.</summary>
public class KeyTypeTests
{
    private const string Explicit = "[System.Runtime.InteropServices.StructLayout("
        + "System.Runtime.InteropServices.LayoutKind.Explicit";
    private const string At = "[System.Runtime.InteropServices.FieldOffset";

    // The key's type, its declaration, and what is reported.
    private static readonly (string Key, string Types, string Ids)[] Keys =
    [
        ("decimal", "", "FAS016"),
        ("K", "public record struct K(int A, int B, int C, int D, decimal E);", "FAS016"),
        ("DateTime", "", "FAS016"),
        ("K", "public record struct K(long A, DateTime B);", "FAS016"),
        ("DateTimeOffset", "", "FAS009 FAS016"),
        ("KeyValuePair<byte, long>", "", "FAS009"),
        ("KeyValuePair<long, long>", "", ""),
        ("KeyValuePair<double, long>", "", "FAS010"),
        ("K", "public struct K { public int? A; }", "FAS009"),
        ("K", "public struct K { public byte? A; }", ""),
        ("K", "public struct K { public int A; public long B; }", "FAS009"),
        ("K", Explicit + ", Size = 16)] public struct K { " + At + "(0)] public long A; }", "FAS009"),
        ("K", Explicit + ")] public struct K { " + At + "(0)] public int A; " + At + "(8)] public int B; }", "FAS009"),
        ("K", Explicit + ")] public struct K { " + At + "(0)] public long A; " + At + "(0)] public int B; }", ""),
        ("System.Numerics.Complex", "", "FAS010"),
        ("System.Numerics.Vector3", "", "FAS010"),
        ("System.Drawing.PointF", "", "FAS010"),
        ("System.Drawing.RectangleF", "", "FAS010"),
        ("K", "public record struct K(System.Drawing.PointF A);", "FAS010"),
        ("Half", "", "FAS010"),
        ("(byte, double)", "", "FAS009 FAS010"),
        ("(long, int)", "", "FAS009"),
        ("(int, int)", "", ""),
        ("K", "public struct K { public long A; public readonly bool Equals(K other) => A / 2 == other.A / 2; }",
            "FAS016"),
        ("K", "public struct K { public long A, B; public readonly bool Equals(K other) => A == other.A; }", "FAS016"),
        ("K", "public struct K : IEquatable<K> { public long A, B; public readonly bool Equals(K other) => "
            + "A == other.A && B.Equals(other.B); public override readonly bool Equals(object? o) => o is K k && "
            + "Equals(k); public override readonly int GetHashCode() => 0; }", ""),
        ("K", "public readonly record struct K(long A) { public bool Equals(K other) => A % 7 == other.A % 7; "
            + "public override int GetHashCode() => 0; }", "FAS016"),
        ("K", "public readonly record struct K(long A, Guid B, TimeSpan C, DateOnly D, int E);", ""),
        ("K", "public readonly record struct K(L A); public record struct L(M A); public record struct M(decimal A);",
            "FAS016"),
        ("System.Runtime.InteropServices.GCHandle", "", "FAS016"),
        ("K", "public enum K : byte { A }", ""),
        ("K", "[System.Runtime.CompilerServices.InlineArray(70000)] public struct K { public byte A; }", "FAS017"),
        ("Int128", "", ""),
        ("Range", "", ""),
        ("nint", "", ""),
        ("System.Text.Rune", "", ""),
    ];

    private static readonly (string Value, string Types, string Ids)[] Values =
    [
        ("V", "[System.Runtime.CompilerServices.InlineArray(65536)] public struct V { public byte A; }", ""),
        ("V", "[System.Runtime.CompilerServices.InlineArray(100000)] public struct V { public long A; }", "FAS017"),
        ("V", "[System.Runtime.CompilerServices.InlineArray(2000000000)] public struct V { public long A; }", "FAS017"),
        ("V", "[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, "
            + "Size = 800000)] public struct V { public long A; }", "FAS017"),
        ("V", "public struct V { public W A; } public struct W { public X A, B, C; } "
            + "[System.Runtime.CompilerServices.InlineArray(25000)] public struct X { public byte A; }", "FAS017"),
        ("V", "public record struct V(double A, decimal B, DateTime C, byte D);", ""),
    ];

    [Fact]
    public async Task Keys_that_may_be_equal_with_other_bytes_and_structs_that_are_too_large_are_told()
    {
        var source = new System.Text.StringBuilder();
        var expected = new List<string>();
        int count = 0;
        foreach ((string type, string types, string ids, bool isKey) in Keys.Select(k => (k.Key, k.Types, k.Ids, true))
            .Concat(Values.Select(v => (v.Value, v.Types, v.Ids, false))))
        {
            (string key, string value) = isKey ? (type, "int") : ("int", type);
            source.Append($"namespace N{count} {{ {types} [Store(Key = typeof({key}), Value = typeof({value}))] ")
                .Append($"public static partial class S; }}\n");
            expected.Add($"{type}, {types}: {ids}");
            count++;
        }

        Diagnostic[] found = [.. await Harness.AnalyzeAsync(source.ToString())];
        string[] told = [.. Keys.Concat(Values).Select((t, i) => $"{t.Item1}, {t.Item2}: "
            + string.Join(' ', found.Where(d => d.Location.GetLineSpan().StartLinePosition.Line == i)
                .Select(d => d.Id).Order()))];
        Assert.Equal(expected, told);
    }
}
