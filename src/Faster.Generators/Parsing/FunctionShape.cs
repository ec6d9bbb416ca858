using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>
/// A user function whose form is right, seen by itself: the parameters that begin the list (key, input) still wait for
/// the other functions to tell which is which.
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

    /// <summary>The parameters for key and input: none, one or two.</summary>
    public IReadOnlyList<IParameterSymbol> Prefix { get; private set; } = [];

    public IParameterSymbol? Source { get; private set; }

    /// <summary>The newer value of a merger of bytes; a typed merger gets it in its target.</summary>
    public IParameterSymbol? Newer { get; private set; }

    public IParameterSymbol? Target { get; private set; }

    public IParameterSymbol? Output { get; private set; }

    /// <summary>Whether the value comes as bytes.</summary>
    public bool IsRaw { get; private set; }

    public IParameterSymbol? Key { get; set; }

    public IParameterSymbol? Input { get; set; }

    public bool IsReader => Kind is FunctionKind.SingleReader or FunctionKind.ConcurrentReader;

    public bool IsWriter => Kind is FunctionKind.SingleWriter or FunctionKind.ConcurrentWriter;

    public bool IsUpdater =>
        Kind is FunctionKind.InitialUpdater or FunctionKind.InPlaceUpdater or FunctionKind.CopyUpdater;

    /// <summary>Whether a leading parameter can be the key only.</summary>
    public bool TakesNoInput => IsWriter || Kind == FunctionKind.Merger;

    /// <summary>Reads a method's form.</summary>
    /// <returns>Null when the form is wrong.</returns>
    public static FunctionShape? TryRead(FunctionKind kind, IMethodSymbol method)
    {
        var shape = new FunctionShape(kind, method);
        if (kind == FunctionKind.CompletionCallback) return shape;
        bool maySayNo = kind is FunctionKind.ConcurrentWriter or FunctionKind.InPlaceUpdater;
        bool isBool = method.ReturnType.SpecialType == SpecialType.System_Boolean;
        if (!method.ReturnsVoid && !(maySayNo && isBool)) return null;
        int tail = kind is FunctionKind.InitialUpdater or FunctionKind.InPlaceUpdater ? 1
            : kind == FunctionKind.Merger && method.Parameters.LastOrDefault()?.Type.IsByteWriter() == true ? 3 : 2;
        int prefix = method.Parameters.Length - tail;
        if (prefix < 0 || prefix > (shape.TakesNoInput ? 1 : 2)) return null;
        shape.Prefix = method.Parameters.Take(prefix).ToArray();
        if (shape.Prefix.Any(p => !IsReadOnly(p) || !IsHoldable(p.Type))) return null;
        return shape.ReadTail(method.Parameters.Skip(prefix).ToArray()) ? shape : null;
    }

    private bool ReadTail(IParameterSymbol[] tail)
    {
        IParameterSymbol last = tail[tail.Length - 1];
        if (tail.Length == 3)
        {
            Newer = tail[1];
            if (!IsReadOnly(Newer) || !Newer.Type.IsSpanOfBytes()) return false;
        }

        if (tail.Length > 1)
        {
            Source = tail[0];
            if (!IsReadOnly(Source)) return false;
            IsRaw = Source.Type.IsSpanOfBytes();
        }

        if (IsReader)
        {
            Output = last;
            return last.RefKind is RefKind.Out or RefKind.Ref && !last.Type.IsRefLikeType;
        }

        Target = last;
        bool isRawTarget = IsRawTarget(last);
        if (tail.Length == 1) IsRaw = isRawTarget;
        if (IsRaw) return isRawTarget;
        bool mayBeOut = Kind is not
            (FunctionKind.InPlaceUpdater or FunctionKind.ConcurrentWriter or FunctionKind.Merger);
        bool isWritable = last.RefKind == RefKind.Ref || (mayBeOut && last.RefKind == RefKind.Out);
        return isWritable && !last.Type.IsRefLikeType
            && (Source is null || SymbolEqualityComparer.Default.Equals(Source.Type, last.Type));
    }

    private bool IsRawTarget(IParameterSymbol target) => Kind switch
    {
        FunctionKind.SingleWriter => target.Type.IsWritableSpanOfBytes() && target.RefKind == RefKind.None,
        FunctionKind.InPlaceUpdater or FunctionKind.ConcurrentWriter =>
            target.Type.IsValueSlot() && (IsReadOnly(target) || target.RefKind == RefKind.Ref),
        _ => target.Type.IsByteWriter() && target.RefKind == RefKind.None,
    };

    // What an operation can hold until the disk answers: no ref struct but the spans that it copies.
    private static bool IsHoldable(ITypeSymbol type) =>
        !type.IsRefLikeType || type.IsSpanOfBytes() || type.IsSpanOfChars();

    private static bool IsReadOnly(IParameterSymbol parameter) =>
        parameter.RefKind is RefKind.None or RefKind.In or RefKind.RefReadOnlyParameter;
}
