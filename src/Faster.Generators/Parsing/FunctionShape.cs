using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>
/// A user function whose form is correct by itself. Which of its leading parameters is the key and which the input is
/// determined later, together with the other functions.
/// </summary>
internal sealed class FunctionShape
{
    private FunctionShape(FunctionKind kind, IMethodSymbol method)
    {
        Kind = kind;
        Method = method;
    }

    public FunctionKind Kind { get; }

    public IMethodSymbol Method { get; }

    /// <summary>The leading parameters for key and input: none, one or two.</summary>
    public IReadOnlyList<IParameterSymbol> Prefix { get; private set; } = [];

    public IParameterSymbol? Source { get; private set; }

    /// <summary>The newer value of a merger of bytes; a typed merger receives it in its target.</summary>
    public IParameterSymbol? Newer { get; private set; }

    public IParameterSymbol? Target { get; private set; }

    /// <summary>The output of a reader, or of an updater that has one.</summary>
    public IParameterSymbol? Output { get; private set; }

    /// <summary>Whether the value is passed as bytes.</summary>
    public bool IsRaw { get; private set; }

    public IParameterSymbol? Key { get; set; }

    public IParameterSymbol? Input { get; set; }

    public bool IsReader => Kind is FunctionKind.SingleReader or FunctionKind.ConcurrentReader;

    public bool IsWriter => Kind is FunctionKind.SingleWriter or FunctionKind.ConcurrentWriter;

    public bool IsUpdater =>
        Kind is FunctionKind.InitialUpdater or FunctionKind.InPlaceUpdater or FunctionKind.CopyUpdater;

    /// <summary>Whether a leading parameter can only be the key.</summary>
    public bool TakesNoInput => IsWriter || Kind == FunctionKind.Merger;

    /// <summary>
    /// Returns the number of trailing parameters of a kind, without an updater's output, in every form except a merger
    /// of bytes.
    /// </summary>
    public static int TailOf(FunctionKind kind) =>
        kind is FunctionKind.InitialUpdater or FunctionKind.InPlaceUpdater ? 1 : 2;

    /// <summary>Reads a method's form.</summary>
    /// <param name="kind">The kind that the method is marked as.</param>
    /// <param name="method">The user function.</param>
    /// <param name="mistake">The error, if the result is null.</param>
    /// <returns>The shape; null if the form is wrong.</returns>
    public static FunctionShape? TryRead(FunctionKind kind, IMethodSymbol method, out FormMistake mistake)
    {
        var shape = new FunctionShape(kind, method);
        mistake = default;
        if (kind == FunctionKind.CompletionCallback) return shape;
        bool maySayNo = kind is FunctionKind.ConcurrentWriter or FunctionKind.InPlaceUpdater;
        bool isBool = method.ReturnType.SpecialType == SpecialType.System_Boolean;
        if (!method.ReturnsVoid && !(maySayNo && isBool))
        {
            mistake = new(null, $"it returns {Signatures.Name(method.ReturnType)} and not "
                + (maySayNo ? "void or bool" : "void"));
            return null;
        }

        IParameterSymbol[] all = [.. method.Parameters];
        if (UpdateOutputOf(kind, all) is { } output)
        {
            mistake = OutputMistake(output);
            if (mistake.Why is not null) return null;
            shape.Output = output;
            all = [.. all.Take(all.Length - 1)];
        }

        bool isLong = kind == FunctionKind.Merger && all.LastOrDefault()?.Type.IsByteWriter() == true;
        int tail = isLong ? 3 : TailOf(kind);
        int prefix = all.Length - tail;
        if (prefix < 0)
        {
            mistake = new(null, "it has too few parameters");
            return null;
        }

        if (prefix > (shape.TakesNoInput ? 1 : 2))
        {
            mistake = new(null, shape.TakesNoInput
                ? "it has too many parameters: besides the values it may take the key"
                : "it has too many parameters: besides the values it may take the key and one input");
            return null;
        }

        shape.Prefix = all.Take(prefix).ToArray();
        mistake = shape.Prefix.Select(PrefixMistake).FirstOrDefault(static m => m.Why is not null);
        if (mistake.Why is null) mistake = shape.ReadTail(all.Skip(prefix).ToArray());
        return mistake.Why is null ? shape : null;
    }

    private static FormMistake PrefixMistake(IParameterSymbol parameter)
    {
        string what = Signatures.Show(parameter);
        if (!IsReadOnly(parameter))
            return new(parameter, $"'{what}' is in the position of a key or input, which must be read-only");
        // An operation must hold it until the disk responds: no ref struct except the spans that it copies.
        if (!parameter.Type.IsRefLikeType || parameter.Type.IsSpanOfBytes() || parameter.Type.IsSpanOfChars())
            return default;
        return new(parameter, $"'{what}' can't be a key or input, because it can't be kept while an operation waits "
            + "for the disk; of the ref structs, only ReadOnlySpan<byte> and ReadOnlySpan<char> can");
    }

    /// <summary>
    /// Returns the output of an updater, or null: an <c>out</c> parameter after the value that the updater sets. No
    /// parameter before that value can be written to, so the last one of two that can be is the output. It is
    /// <c>out</c>, so that no attempt leaves the output of another one.
    /// </summary>
    public static IParameterSymbol? UpdateOutputOf(FunctionKind kind, IParameterSymbol[] all)
    {
        if (kind is not (FunctionKind.InitialUpdater or FunctionKind.InPlaceUpdater or FunctionKind.CopyUpdater)
            || all.Length < 2) return null;
        IParameterSymbol last = all[all.Length - 1], target = all[all.Length - 2];
        bool isTarget = target.RefKind is RefKind.Out or RefKind.Ref || IsRawTarget(kind, target);
        return last.RefKind == RefKind.Out && isTarget ? last : null;
    }

    private static FormMistake OutputMistake(IParameterSymbol output) => output.Type.IsRefLikeType
        ? new(output, $"'{Signatures.Show(output)}' is a ref struct, which cannot outlive the call")
        : default;

    private FormMistake ReadTail(IParameterSymbol[] tail)
    {
        IParameterSymbol last = tail[tail.Length - 1];
        if (tail.Length == 3)
        {
            Newer = tail[1];
            if (!IsReadOnly(Newer) || !Newer.Type.IsSpanOfBytes()) return NotBytes(Newer);
        }

        if (tail.Length > 1)
        {
            Source = tail[0];
            if (!IsReadOnly(Source)) return new(Source, $"'{Signatures.Show(Source)}' is a value that is read-only");
            IsRaw = Source.Type.IsSpanOfBytes();
        }

        if (IsReader)
        {
            Output = last;
            return last.RefKind is not (RefKind.Out or RefKind.Ref)
                ? new(last, $"'{Signatures.Show(last)}' is the output, which must be 'out'")
                : last.Type.IsRefLikeType
                    ? new(last, $"'{Signatures.Show(last)}' is a ref struct, which cannot outlive the call")
                : default;
        }

        Target = last;
        bool isRawTarget = IsRawTarget(Kind, last);
        if (tail.Length == 1) IsRaw = isRawTarget;
        if (IsRaw) return isRawTarget ? default : NotBytes(last);
        bool mayBeOut = Kind is not
            (FunctionKind.InPlaceUpdater or FunctionKind.ConcurrentWriter or FunctionKind.Merger);
        bool isWritable = last.RefKind == RefKind.Ref || (mayBeOut && last.RefKind == RefKind.Out);
        if (!isWritable || last.Type.IsRefLikeType) return NotWritable(last);
        return Source is null || SymbolEqualityComparer.Default.Equals(Source.Type, last.Type)
            ? default
            : new(Source, $"'{Signatures.Show(Source)}' is in the position of a value, but the value is "
                + Signatures.Name(last.Type));
    }

    private static FormMistake NotBytes(IParameterSymbol parameter) =>
        new(parameter, $"'{Signatures.Show(parameter)}' is in the position of the value's bytes");

    private static FormMistake NotWritable(IParameterSymbol parameter) => new(parameter, parameter.Type.IsRefLikeType
        ? $"'{Signatures.Show(parameter)}' is in the position of the value that it sets"
        : $"'{Signatures.Show(parameter)}' is the value that it sets, so it must be 'ref'");

    private static bool IsRawTarget(FunctionKind kind, IParameterSymbol target) => kind switch
    {
        FunctionKind.SingleWriter => target.Type.IsWritableSpanOfBytes() && target.RefKind == RefKind.None,
        FunctionKind.InPlaceUpdater or FunctionKind.ConcurrentWriter =>
            target.Type.IsValueSlot() && (IsReadOnly(target) || target.RefKind == RefKind.Ref),
        _ => target.Type.IsByteWriter() && target.RefKind == RefKind.None,
    };

    private static bool IsReadOnly(IParameterSymbol parameter) =>
        parameter.RefKind is RefKind.None or RefKind.In or RefKind.RefReadOnlyParameter;
}

/// <summary>An error in a function's form.</summary>
/// <param name="At">The parameter that is wrong, or null.</param>
/// <param name="Why">What is wrong; null if nothing is.</param>
internal readonly record struct FormMistake(IParameterSymbol? At, string? Why);
