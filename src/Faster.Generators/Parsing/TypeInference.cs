using Faster.Generators.Diagnostics;
using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>
/// Infers a store's types from its functions taken together, and determines which leading parameter is a key and which
/// an input.
/// </summary>
/// <remarks>
/// A function that takes both has the key first. If there is only one, its name determines its role (<c>key</c>,
/// <c>input</c>, or the name that another function gives to its key or input); else it is the key while no key is
/// known; else its type determines the role; else it is the input. <see cref="ParameterNames"/> rejects what that
/// leaves ambiguous.
/// </remarks>
internal sealed class TypeInference(
    IReadOnlyList<FunctionShape> shapes, IReadOnlyList<TransactionShape> transactions, INamedTypeSymbol store,
    AttributeData attribute, Action<Diagnostic> report)
{
    public ITypeSymbol? Key { get; private set; }

    public ITypeSymbol? Value { get; private set; }

    public ITypeSymbol? ReadInput { get; private set; }

    public ITypeSymbol? UpdateInput { get; private set; }

    /// <summary>The readers' output.</summary>
    public ITypeSymbol? Output { get; private set; }

    /// <summary>The updaters' output.</summary>
    public ITypeSymbol? UpdateOutput { get; private set; }

    /// <summary>Runs the inference.</summary>
    /// <returns>False if an error was reported.</returns>
    public bool Run()
    {
        Value = ValueOf(shapes, attribute) ?? TransactionShape.ValueOf(transactions);
        SettlePrefixes();
        Key = Argument(attribute, "Key") ?? shapes.FirstOrDefault(s => s.Key is not null)?.Key!.Type
            ?? TransactionShape.KeyTypeOf(transactions);
        // Prefers an input that one function declares as non-null, and an output that one may leave null.
        ReadInput = Pick(s => s.IsReader ? s.Input : null, NullableAnnotation.NotAnnotated);
        UpdateInput = Pick(s => s.IsUpdater ? s.Input : null, NullableAnnotation.NotAnnotated);
        Output = Pick(static s => s.IsReader ? s.Output : null, NullableAnnotation.Annotated);
        UpdateOutput = Pick(static s => s.IsUpdater ? s.Output : null, NullableAnnotation.Annotated);
        if (Key is null) Unknown("key", "Key");
        if (Value is null) Unknown("value", "Value");
        return Key is not null && Value is not null && Agree();
    }

    /// <summary>Returns the value's type from the attribute or the functions, or null.</summary>
    public static ITypeSymbol? ValueOf(IReadOnlyList<FunctionShape> shapes, AttributeData attribute)
    {
        if (Argument(attribute, "Value") is { } declared) return declared;
        FunctionShape? typed = shapes.FirstOrDefault(s => !s.IsRaw && (s.Source ?? s.Target) is not null);
        if (typed is not null) return (typed.Source ?? typed.Target)!.Type;
        // A source span, if there is one, determines the type; a value slot or a writer only means bytes.
        return shapes.FirstOrDefault(s => s.IsRaw && s.Source is not null)?.Source!.Type
            ?? shapes.FirstOrDefault(s => s.IsRaw)?.Target!.Type;
    }

    private ITypeSymbol? Pick(Func<FunctionShape, IParameterSymbol?> select, NullableAnnotation preferred)
    {
        ITypeSymbol[] all = [.. shapes.Select(select).Where(static p => p is not null).Select(static p => p!.Type)];
        return all.FirstOrDefault(t => t.NullableAnnotation == preferred) ?? all.FirstOrDefault();
    }

    private static ITypeSymbol? Argument(AttributeData attribute, string name) =>
        attribute.NamedArguments.FirstOrDefault(a => a.Key == name).Value.Value as ITypeSymbol;

    private void SettlePrefixes()
    {
        foreach (FunctionShape shape in shapes)
        {
            if (shape.Prefix.Count == 2) (shape.Key, shape.Input) = (shape.Prefix[0], shape.Prefix[1]);
            else if (shape.TakesNoInput && shape.Prefix.Count == 1) shape.Key = shape.Prefix[0];
        }

        ITypeSymbol? key = Argument(attribute, "Key") ?? shapes.FirstOrDefault(s => s.Key is not null)?.Key!.Type;
        string[] keyNames = [.. shapes.Where(s => s.Key is not null).Select(s => s.Key!.Name), "key"];
        string[] inputNames = [.. shapes.Where(s => s.Input is not null).Select(s => s.Input!.Name), "input"];
        foreach (FunctionShape shape in shapes.Where(s => s.Prefix.Count == 1 && !s.TakesNoInput))
        {
            IParameterSymbol only = shape.Prefix[0];
            bool isKey = keyNames.Contains(only.Name, StringComparer.OrdinalIgnoreCase)
                || (!inputNames.Contains(only.Name, StringComparer.OrdinalIgnoreCase)
                    && (key is null || IsKeyByType(shape, only.Type, key)));
            if (isKey) shape.Key = only;
            else shape.Input = only;
            if (isKey) key ??= only.Type;
        }
    }

    private bool IsKeyByType(FunctionShape shape, ITypeSymbol type, ITypeSymbol key)
    {
        ITypeSymbol? input = shapes
            .FirstOrDefault(s => s.IsReader == shape.IsReader && s.Input is not null)?.Input!.Type;
        return input is not null && !SymbolEqualityComparer.Default.Equals(input, type)
            && SymbolEqualityComparer.Default.Equals(key, type);
    }

    private bool Agree()
    {
        bool agree = true;
        foreach (FunctionShape shape in shapes)
        {
            agree &= AgreesOnKey(shape) && AgreesOnValue(shape);
            ITypeSymbol? input = shape.IsReader ? ReadInput : UpdateInput;
            ITypeSymbol? output = shape.IsReader ? Output : UpdateOutput;
            agree &= Agrees("input", shape.Input, input) && Agrees("output", shape.Output, output);
        }

        return agree;
    }

    private bool AgreesOnKey(FunctionShape shape)
    {
        if (shape.Key is not { } key) return true;
        return TypeClassifier.KindOf(Key!) switch
        {
            DataKind.Bytes when key.Type.IsSpanOfBytes() => true,
            DataKind.Bytes => WrongSignature(shape, key, "keys are bytes"),
            DataKind.Text when key.Type.IsSpanOfChars() || key.Type.SpecialType == SpecialType.System_String => true,
            _ => Agrees("key", key, Key),
        };
    }

    private bool AgreesOnValue(FunctionShape shape)
    {
        if ((shape.Source ?? shape.Target) is not { } value) return true;
        DataKind kind = TypeClassifier.KindOf(Value!);
        if (shape.IsRaw) return kind != DataKind.Unmanaged || Disagree("value", value, Value!);
        if (kind == DataKind.Bytes) return WrongSignature(shape, value, "values are bytes");
        // A reader may take a string's characters as a span.
        return (kind == DataKind.Text && shape.IsReader && value.Type.IsSpanOfChars()) || Agrees("value", value, Value);
    }

    private bool Agrees(string what, IParameterSymbol? parameter, ITypeSymbol? expected) =>
        parameter is null || expected is null
        || SymbolEqualityComparer.Default.Equals(parameter.Type, expected) || Disagree(what, parameter, expected);

    private bool Disagree(string what, IParameterSymbol parameter, ITypeSymbol expected)
    {
        report(Diagnostic.Create(Descriptors.InconsistentType, KnownTypes.LocationOf(parameter), parameter.Name, what,
            parameter.Type.ToDisplayString(), expected.ToDisplayString()));
        return false;
    }

    private bool WrongSignature(FunctionShape shape, IParameterSymbol at, string why)
    {
        string right = Signatures.Nearest(
            shape.Kind, shape.Method, Value, keysAreBytes: TypeClassifier.KindOf(Key!) == DataKind.Bytes);
        report(Diagnostic.Create(Descriptors.WrongSignature, KnownTypes.LocationOf(at), shape.Method.Name, shape.Kind,
            $"{why}, and '{Signatures.Show(at)}' is not", right));
        return false;
    }

    private void Unknown(string what, string property) => report(Diagnostic.Create(
        Descriptors.UnknownType, KnownTypes.LocationOf(store), store.Name, what, property));
}
