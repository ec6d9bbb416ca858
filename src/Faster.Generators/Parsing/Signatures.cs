using Faster.Generators.Models;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Faster.Generators.Parsing;

/// <summary>
/// The signature that a user function should have, in the user's own types and names, for the message that refuses a
/// wrong one.
/// </summary>
internal static class Signatures
{
    private const string Bytes = "ReadOnlySpan<byte>";

    /// <summary>A type as a user would write it.</summary>
    public static string Name(ITypeSymbol type) => type.ToDisplayString(SymbolDisplayFormat.MinimallyQualifiedFormat);

    /// <summary>A name as a user would write it; words that are keywords in some places only need no escape.</summary>
    public static string Escape(string name) =>
        SyntaxFacts.GetKeywordKind(name) == SyntaxKind.None ? name : "@" + name;

    /// <summary>A parameter as it is written.</summary>
    public static string Show(IParameterSymbol parameter)
    {
        string passing = parameter.RefKind switch
        {
            RefKind.Ref => "ref ",
            RefKind.Out => "out ",
            RefKind.In => "in ",
            RefKind.RefReadOnlyParameter => "ref readonly ",
            _ => "",
        };
        return $"{passing}{Name(parameter.Type)} {Escape(parameter.Name)}";
    }

    /// <summary>A whole signature.</summary>
    public static string Of(FunctionKind kind, IMethodSymbol method, bool isRaw, IEnumerable<string> parameters)
    {
        bool maySayNo = kind is FunctionKind.ConcurrentWriter or FunctionKind.InPlaceUpdater;
        bool isBool = maySayNo && (isRaw || method.ReturnType.SpecialType == SpecialType.System_Boolean);
        return $"static {(isBool ? "bool" : "void")} {Escape(method.Name)}({string.Join(", ", parameters)})";
    }

    /// <summary>The right signature of a function whose form is wrong, as near to what is there as it can be.</summary>
    /// <param name="kind">What it is marked as.</param>
    /// <param name="method">The function.</param>
    /// <param name="value">The value's type, where another function or the attribute tells it.</param>
    /// <param name="keysAreBytes">Whether keys are known to be bytes.</param>
    public static string Nearest(FunctionKind kind, IMethodSymbol method, ITypeSymbol? value, bool keysAreBytes = false)
    {
        if (kind == FunctionKind.CompletionCallback) return Callback(method.Name);
        IParameterSymbol[] all = [.. method.Parameters];
        bool isRaw = value is null ? LooksRaw(kind, all) : TypeClassifier.KindOf(value) == DataKind.Bytes
            || value.IsByteWriter() || value.IsValueSlot();
        int tail = Math.Min(TailLength(kind, isRaw), all.Length);
        bool takesInput = kind is not
            (FunctionKind.SingleWriter or FunctionKind.ConcurrentWriter or FunctionKind.Merger);
        IParameterSymbol[] leading = [.. all.Take(Math.Min(all.Length - tail, takesInput ? 2 : 1))];
        IParameterSymbol[] last = [.. all.Skip(all.Length - tail)];
        string type = value is not null ? Name(value)
            : last.Select(p => p.Type).LastOrDefault(t => !t.IsRefLikeType && !isRaw) is { } own && !IsReader(kind)
                ? Name(own)
            : IsReader(kind) && last.Length == 2 && !last[0].Type.IsRefLikeType ? Name(last[0].Type) : "TValue";
        string output = IsReader(kind) && last.Length > 0 && last[last.Length - 1] is { Type.IsRefLikeType: false } o
            && (last.Length == 2 || o.RefKind == RefKind.Out) ? Name(o.Type) : "TOutput";
        string[] names = TailNames(kind, isRaw);
        return Of(kind, method, isRaw, leading.Select((p, i) => Leading(p, isKey: i == 0 && keysAreBytes))
            .Concat(Tail(kind, isRaw, type, output, names)));
    }

    /// <summary>The parameters behind key and input.</summary>
    /// <param name="kind">What the function is.</param>
    /// <param name="isRaw">Whether it works on bytes.</param>
    /// <param name="value">The value's type.</param>
    /// <param name="output">The output's type.</param>
    /// <param name="names">Their names.</param>
    public static string[] Tail(FunctionKind kind, bool isRaw, string value, string output, string[] names)
    {
        string read = isRaw ? Bytes : value;
        string written = !isRaw ? $"ref {value}" : kind switch
        {
            FunctionKind.SingleWriter => "Span<byte>",
            FunctionKind.ConcurrentWriter or FunctionKind.InPlaceUpdater => "ValueSlot",
            _ => "IBufferWriter<byte>",
        };
        if (IsReader(kind)) written = $"out {output}";
        return names.Select((name, i) => $"{(i < names.Length - 1 ? read : written)} {name}").ToArray();
    }

    /// <summary>The usual names of the parameters behind key and input.</summary>
    public static string[] TailNames(FunctionKind kind, bool isRaw) => kind switch
    {
        FunctionKind.SingleReader or FunctionKind.ConcurrentReader => ["value", "output"],
        FunctionKind.SingleWriter or FunctionKind.ConcurrentWriter => ["newValue", "value"],
        FunctionKind.CopyUpdater => ["oldValue", "value"],
        FunctionKind.Merger => isRaw ? ["older", "newer", "merged"] : ["older", "newer"],
        _ => ["value"],
    };

    private static int TailLength(FunctionKind kind, bool isRaw) => TailNames(kind, isRaw).Length;

    private static bool IsReader(FunctionKind kind) =>
        kind is FunctionKind.SingleReader or FunctionKind.ConcurrentReader;

    private static bool LooksRaw(FunctionKind kind, IParameterSymbol[] all) => all
        .Skip(all.Length - FunctionShape.TailOf(kind))
        .Any(p => p.Type.IsValueSlot() || p.Type.IsByteWriter() || p.Type.IsWritableSpanOfBytes()
            || p.Type.IsSpanOfBytes());

    // A key or input as it should be.
    private static string Leading(IParameterSymbol parameter, bool isKey)
    {
        string name = Escape(parameter.Name);
        ITypeSymbol type = parameter.Type;
        if (isKey) return $"{Bytes} {name}";
        if (!type.IsRefLikeType || type.IsSpanOfBytes() || type.IsSpanOfChars()) return $"{Name(type)} {name}";
        ITypeSymbol? element = (type as INamedTypeSymbol)?.TypeArguments.FirstOrDefault();
        return element?.SpecialType switch
        {
            SpecialType.System_Byte => $"{Bytes} {name}",
            SpecialType.System_Char => $"ReadOnlySpan<char> {name}",
            null => $"TInput {name}",
            _ => $"{Name(element)}[] {name}",
        };
    }

    private static string Callback(string name) =>
        $"static void {name}([TContext context,] [Status status,] [TOutput output,] [Exception? error])";
}
