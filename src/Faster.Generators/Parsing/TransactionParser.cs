using Faster.Generators.Diagnostics;
using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>Checks transactions against the types and the names of their store, and makes their models.</summary>
internal sealed class TransactionParser(
    IReadOnlyList<TransactionShape> shapes, ITypeSymbol key, ITypeSymbol value, Action<Diagnostic> report)
{
    /// <summary>The property of a diagnostic that a record must be nullable, which a fix makes it.</summary>
    public const string NullableProperty = "Nullable";

    private static readonly string[] Operations = ["Read", "Upsert", "Rmw", "Delete"];

    private readonly DataKind _kind = value.IsByteWriter() || value.IsValueSlot()
        ? DataKind.Bytes
        : TypeClassifier.KindOf(value);

    /// <summary>Returns the models of all transactions, which mean nothing if an error was reported.</summary>
    public EquatableArray<TransactionModel> Parse() => new(shapes.Select(Model));

    /// <summary>Reports transactions whose emitted methods would have names that sessions have.</summary>
    /// <param name="engines">The classes of the engines.</param>
    public void CheckNames(IEnumerable<ITypeSymbol> engines)
    {
        var taken = new HashSet<string>(
            engines.SelectMany(EngineLookup.SessionMembers).Concat(Operations.SelectMany(FormsOf)),
            StringComparer.Ordinal);
        foreach (TransactionShape shape in shapes)
        {
            foreach (string name in FormsOf(shape.Method.Name))
            {
                if (taken.Add(name)) continue;
                report(Diagnostic.Create(Descriptors.NameTaken, KnownTypes.LocationOf(shape.Method), name));
                break;
            }
        }
    }

    private static string[] FormsOf(string name) => [name, name + "Async", name + "Batch"];

    private TransactionModel Model(TransactionShape shape)
    {
        IParameterSymbol[] singles = [.. shape.Singles], sets = [.. shape.Sets];
        CheckSets(shape, singles, sets);
        int inputs = 0;
        var parameters = new List<TransactionParameter>();
        foreach ((IParameterSymbol parameter, TransactionRole role) in shape.Roles)
        {
            int index = role switch
            {
                TransactionRole.Read or TransactionRole.Written => Array.IndexOf(singles, parameter),
                TransactionRole.ReadSet or TransactionRole.WrittenSet => Array.IndexOf(sets, parameter),
                TransactionRole.Key =>
                    Array.FindIndex(singles, s => s.Name == TransactionShape.RecordNamedBy(parameter)),
                TransactionRole.Input => inputs++,
                _ => 0,
            };
            bool isRecord = role is TransactionRole.Read or TransactionRole.Written
                or TransactionRole.ReadSet or TransactionRole.WrittenSet;
            if (isRecord) CheckRecord(shape, parameter, role);
            else if (role == TransactionRole.Key) CheckKey(shape, parameter);
            else if (role == TransactionRole.Dynamic) CheckDynamic(shape, parameter);
            ITypeSymbol type = TransactionShape.RecordOf(parameter);
            parameters.Add(new TransactionParameter(
                role, StoreFrame.Escape(parameter.Name), type.NameInCode(), Signatures.Model(parameter, Role.Input),
                index, isRecord && IsNullable(type)));
        }

        return new TransactionModel(
            shape.Method.Name, new(parameters), !shape.Method.ReturnsVoid,
            PlainMethod.Overloads(shape.Method).Any());
    }

    // A record that is both in a set and apart is one value, so both have its type.
    private void CheckSets(TransactionShape shape, IParameterSymbol[] singles, IParameterSymbol[] sets)
    {
        if (sets.Length == 0) return;
        bool isNullable = IsNullable(TransactionShape.RecordOf(sets[0]));
        IParameterSymbol? other = singles.Concat(sets)
            .FirstOrDefault(p => IsNullable(TransactionShape.RecordOf(p)) != isNullable || p.Type.IsSpanOfBytes());
        if (other is null) return;
        Wrong(Descriptors.TransactionParameters, shape, other,
            $"'{Signatures.Show(other)}' may be a record of the set '{sets[0].Name}', so it must have its type, "
            + Signatures.Name(TransactionShape.RecordOf(sets[0])));
    }

    private void CheckRecord(TransactionShape shape, IParameterSymbol parameter, TransactionRole role)
    {
        ITypeSymbol type = TransactionShape.RecordOf(parameter);
        if (TypeClassifier.IsError(type)) return; // the compiler has reported it
        ITypeSymbol plain = TransactionShape.WithoutNull(type);
        bool isRight = _kind switch
        {
            DataKind.Bytes => plain is IArrayTypeSymbol && TypeClassifier.KindOf(plain) == DataKind.Bytes
                || (role == TransactionRole.Read && plain.IsSpanOfBytes()),
            DataKind.Text => plain.SpecialType == SpecialType.System_String,
            _ => SymbolEqualityComparer.Default.Equals(plain, TransactionShape.WithoutNull(value)),
        };
        string expected = _kind switch
        {
            DataKind.Bytes => "byte[]",
            DataKind.Text => "string",
            _ => Signatures.Name(TransactionShape.WithoutNull(value)),
        };
        if (!isRight)
        {
            string hint = parameter.RefKind is RefKind.In or RefKind.RefReadOnlyParameter
                ? "; an input is passed by value"
                : "";
            Wrong(Descriptors.TransactionRecord, shape, parameter, $"the store's values are {expected}{hint}");
        }
        else if (_kind == DataKind.Serialized && plain.IsReferenceType && !IsNullable(type))
        {
            report(Diagnostic.Create(
                Descriptors.TransactionRecord, KnownTypes.LocationOf(parameter),
                System.Collections.Immutable.ImmutableDictionary<string, string?>.Empty.Add(NullableProperty, ""),
                Signatures.Show(parameter), shape.Method.Name,
                $"it is null if the record is absent, so write {expected}?"));
        }
    }

    private void CheckKey(TransactionShape shape, IParameterSymbol parameter)
    {
        bool isRight = TypeClassifier.KindOf(key) == DataKind.Bytes
            ? parameter.Type.IsSpanOfBytes()
            : SymbolEqualityComparer.Default.Equals(parameter.Type, key) && parameter.RefKind != RefKind.Out;
        if (isRight && parameter.RefKind is not (RefKind.Ref or RefKind.Out)) return;
        string expected = TypeClassifier.KindOf(key) == DataKind.Bytes ? "ReadOnlySpan<byte>" : Signatures.Name(key);
        Wrong(Descriptors.TransactionParameters, shape, parameter,
            $"'{Signatures.Show(parameter)}' is a key, and keys are passed as {expected}");
    }

    private void CheckDynamic(TransactionShape shape, IParameterSymbol parameter)
    {
        var type = (INamedTypeSymbol)parameter.Type;
        if (TypeClassifier.IsError(type)) return;
        string keyType = TypeClassifier.Classify(key).Type;
        string valueType = _kind == DataKind.Bytes ? "byte[]" : TypeClassifier.Classify(value).Type;
        if (parameter.RefKind is not (RefKind.Ref or RefKind.Out)
            && type.TypeArguments[0].NameInCode() == keyType && type.TypeArguments[1].NameInCode() == valueType) return;
        Wrong(Descriptors.TransactionParameters, shape, parameter,
            $"'{Signatures.Show(parameter)}' must be Transaction<{keyType}, {valueType}>, by value");
    }

    private void Wrong(DiagnosticDescriptor found, TransactionShape shape, IParameterSymbol at, string why) =>
        report(found == Descriptors.TransactionRecord
            ? Diagnostic.Create(
                found, KnownTypes.LocationOf(at), Signatures.Show(at), shape.Method.Name, why)
            : Diagnostic.Create(found, KnownTypes.LocationOf(at), shape.Method.Name, why));

    // Without annotations, a class may be null.
    private static bool IsNullable(ITypeSymbol type) =>
        type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T
        || (type.IsReferenceType && type.NullableAnnotation != NullableAnnotation.NotAnnotated);
}
