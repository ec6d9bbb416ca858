using Faster.Generators.Models;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Faster.Generators.Parsing;

/// <summary>
/// Builds the correct signature of a user function, with the user's own types and names, for the message that rejects a
/// wrong one.
/// </summary>
internal static class Signatures
{
    private const string Bytes = "ReadOnlySpan<byte>";

    /// <summary>Returns a type as a user would write it.</summary>
    public static string Name(ITypeSymbol type) => type.ToDisplayString(SymbolDisplayFormat.MinimallyQualifiedFormat);

    /// <summary>Returns a name as a user would write it; contextual keywords need no escape.</summary>
    public static string Escape(string name) =>
        SyntaxFacts.GetKeywordKind(name) == SyntaxKind.None ? name : "@" + name;

    /// <summary>Returns a parameter as it is declared.</summary>
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

    /// <summary>Returns the model of a parameter.</summary>
    public static ParameterModel Model(IParameterSymbol parameter, Role role)
    {
        (Passing passing, string modifier) = parameter.RefKind switch
        {
            RefKind.Ref => (Passing.Ref, "ref "),
            RefKind.Out => (Passing.Out, "out "),
            RefKind.In => (Passing.In, "in "),
            RefKind.RefReadOnlyParameter => (Passing.In, "ref readonly "),
            _ => (Passing.Plain, ""),
        };
        string scope = parameter.ScopedKind == ScopedKind.None || passing == Passing.Out ? "" : "scoped ";
        string type = parameter.Type.NameInCode();
        return new ParameterModel(role, passing, scope + modifier + type);
    }

    /// <summary>A whole signature.</summary>
    public static string Of(FunctionKind kind, IMethodSymbol method, bool isRaw, IEnumerable<string> parameters)
    {
        bool maySayNo = kind is FunctionKind.ConcurrentWriter or FunctionKind.InPlaceUpdater;
        bool isBool = maySayNo && (isRaw || method.ReturnType.SpecialType == SpecialType.System_Boolean);
        return $"static {(isBool ? "bool" : "void")} {Escape(method.Name)}({string.Join(", ", parameters)})";
    }

    /// <summary>
    /// Returns the correct signature of a function whose form is wrong, as close to the declared one as possible.
    /// </summary>
    /// <param name="kind">The kind that the method is marked as.</param>
    /// <param name="method">The user function.</param>
    /// <param name="value">The value's type, if another function or the attribute determines it.</param>
    /// <param name="keysAreBytes">Whether keys are known to be bytes.</param>
    public static string Nearest(FunctionKind kind, IMethodSymbol method, ITypeSymbol? value, bool keysAreBytes = false)
    {
        if (kind == FunctionKind.CompletionCallback) return Callback(method.Name);
        IParameterSymbol[] all = [.. method.Parameters];
        IParameterSymbol? updated = FunctionShape.UpdateOutputOf(kind, all);
        if (updated is not null) all = [.. all.Take(all.Length - 1)];
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
            .Concat(Tail(kind, isRaw, type, output, names))
            .Concat(updated is null ? [] : [$"out {OutputName(updated)} {Escape(updated.Name)}"]));
    }

    /// <summary>Returns the parameters after key and input.</summary>
    /// <param name="kind">The kind of the function.</param>
    /// <param name="isRaw">Whether the function works on bytes.</param>
    /// <param name="value">The value's type.</param>
    /// <param name="output">The output's type.</param>
    /// <param name="names">The names of the parameters.</param>
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

    /// <summary>Returns the usual names of the parameters after key and input.</summary>
    public static string[] TailNames(FunctionKind kind, bool isRaw) => kind switch
    {
        FunctionKind.SingleReader or FunctionKind.ConcurrentReader => ["value", "output"],
        FunctionKind.SingleWriter or FunctionKind.ConcurrentWriter => ["newValue", "value"],
        FunctionKind.CopyUpdater => ["oldValue", "value"],
        FunctionKind.Merger => isRaw ? ["older", "newer", "merged"] : ["older", "newer"],
        _ => ["value"],
    };

    private static string OutputName(IParameterSymbol output) =>
        output.Type.IsRefLikeType ? "TOutput" : Name(output.Type);

    private static int TailLength(FunctionKind kind, bool isRaw) => TailNames(kind, isRaw).Length;

    private static bool IsReader(FunctionKind kind) =>
        kind is FunctionKind.SingleReader or FunctionKind.ConcurrentReader;

    private static bool LooksRaw(FunctionKind kind, IParameterSymbol[] all) => all
        .Skip(all.Length - FunctionShape.TailOf(kind))
        .Any(p => p.Type.IsValueSlot() || p.Type.IsByteWriter() || p.Type.IsWritableSpanOfBytes()
            || p.Type.IsSpanOfBytes());

    // Returns a key or input parameter in its correct form.
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
