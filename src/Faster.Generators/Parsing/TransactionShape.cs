using Faster.Generators.Diagnostics;
using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>
/// A transaction whose form is correct by itself; whether its types are the store's is checked later.
/// </summary>
internal sealed class TransactionShape
{
    public const string Attribute = "Faster.TransactionAttribute";

    /// <summary>The type with the records of a transaction that finds them itself.</summary>
    public const string DynamicType = "Faster.Transaction";

    private const string KeyOf = "Faster.KeyOfAttribute";
    private const int MostSingles = 16;

    private TransactionShape(IMethodSymbol method)
    {
        Method = method;
        Roles = [.. method.Parameters.Select(static p => (p, RoleOf(p)))];
    }

    public IMethodSymbol Method { get; }

    public IReadOnlyList<(IParameterSymbol Parameter, TransactionRole Role)> Roles { get; }

    public IEnumerable<IParameterSymbol> Singles =>
        Of(TransactionRole.Read, TransactionRole.Written);

    public IEnumerable<IParameterSymbol> Sets => Of(TransactionRole.ReadSet, TransactionRole.WrittenSet);

    /// <summary>The type with the store's key and value, of a transaction that finds its records itself.</summary>
    public INamedTypeSymbol? Dynamic => Of(TransactionRole.Dynamic).FirstOrDefault()?.Type as INamedTypeSymbol;

    /// <summary>Reads the transactions of a class, and reports those that can't be any.</summary>
    public static List<TransactionShape> ReadAll(INamedTypeSymbol store, Action<Diagnostic> report)
    {
        var shapes = new List<TransactionShape>();
        foreach (IMethodSymbol method in store.GetMembers().OfType<IMethodSymbol>())
        {
            if (method.FindAttribute(Attribute) is null) continue;
            var shape = new TransactionShape(method);
            if (shape.WhyNoMethod(shapes) is { } why)
            {
                report(Diagnostic.Create(
                    Descriptors.BadTransaction, KnownTypes.LocationOf(method), method.Name, why));
            }
            else if (shape.Mistake() is { Why: { } wrong } mistake)
            {
                report(Diagnostic.Create(Descriptors.TransactionParameters,
                    KnownTypes.LocationOf((ISymbol?)mistake.At ?? method), method.Name, wrong));
            }
            else
            {
                shapes.Add(shape);
            }
        }

        return shapes;
    }

    /// <summary>Returns the type of a record, whether it has a parameter of its own or is in a set.</summary>
    public static ITypeSymbol RecordOf(IParameterSymbol parameter) =>
        RoleOf(parameter) is TransactionRole.ReadSet or TransactionRole.WrittenSet
            ? ((INamedTypeSymbol)parameter.Type).TypeArguments[0]
            : parameter.Type;

    /// <summary>Returns a type without the question mark.</summary>
    public static ITypeSymbol WithoutNull(ITypeSymbol type) =>
        type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable
            ? nullable.TypeArguments[0]
            : type.WithNullableAnnotation(NullableAnnotation.NotAnnotated);

    /// <summary>Returns the type of values as a transaction has it, or null.</summary>
    public static ITypeSymbol? ValueOf(IReadOnlyList<TransactionShape> shapes) =>
        shapes.SelectMany(static s => s.Singles.Concat(s.Sets)).Select(RecordOf)
            .Concat(shapes.Select(static s => s.Dynamic?.TypeArguments[1]).OfType<ITypeSymbol>())
            .Select(WithoutNull).FirstOrDefault();

    /// <summary>Returns the type of keys as a transaction has it, or null.</summary>
    public static ITypeSymbol? KeyTypeOf(IReadOnlyList<TransactionShape> shapes) =>
        shapes.SelectMany(static s => s.Of(TransactionRole.Key)).Select(static p => p.Type)
            .Concat(shapes.Select(static s => s.Dynamic?.TypeArguments[0]).OfType<ITypeSymbol>())
            .FirstOrDefault();

    /// <summary>Returns the name of the record that a parameter is the key of, or null.</summary>
    public static string? RecordNamedBy(IParameterSymbol parameter) =>
        parameter.FindAttribute(KeyOf)?.ConstructorArguments.FirstOrDefault().Value as string;

    private IEnumerable<IParameterSymbol> Of(params TransactionRole[] roles) =>
        Roles.Where(r => roles.Contains(r.Role)).Select(static r => r.Parameter);

    private static TransactionRole RoleOf(IParameterSymbol parameter)
    {
        if (parameter.FindAttribute(KeyOf) is not null) return TransactionRole.Key;
        if (parameter.Type is INamedTypeSymbol type)
        {
            if (type.Is("Faster.Records", 1)) return TransactionRole.WrittenSet;
            if (type.Is("Faster.ReadOnlyRecords", 1)) return TransactionRole.ReadSet;
            if (type.Is(DynamicType, 2)) return TransactionRole.Dynamic;
        }

        return parameter.RefKind switch
        {
            RefKind.Out => TransactionRole.Output,
            RefKind.Ref => TransactionRole.Written,
            RefKind.In or RefKind.RefReadOnlyParameter => TransactionRole.Read,
            _ => TransactionRole.Input,
        };
    }

    private string? WhyNoMethod(IEnumerable<TransactionShape> others) => PlainMethod.WhyNot(Method) is { } why ? why
        : !Method.ReturnsVoid && Method.ReturnType.SpecialType != SpecialType.System_Boolean
            ? $"returning {Signatures.Name(Method.ReturnType)} and not void or bool"
        : others.Any(other => other.Method.Name == Method.Name) ? "named as another transaction of the store"
        : null;

    private FormMistake Mistake()
    {
        IParameterSymbol[] outputs = [.. Of(TransactionRole.Output)];
        if (outputs.Length > 1) return new(outputs[1], "it has two outputs; return a tuple of both");
        if (Dynamic is null && !Singles.Any() && !Sets.Any())
        {
            return new(null, "it has no record; 'ref' is one that it writes, 'in' one that it reads, and "
                + "Transaction<TKey, TValue> finds its own");
        }

        int records = Roles.Count(static r => r.Role is not (TransactionRole.Input or TransactionRole.Output));
        if (Dynamic is not null && records > 1)
        {
            return new(null, "Transaction<TKey, TValue> finds all of its records, so that it has no other");
        }

        if (Singles.Count() > MostSingles)
        {
            return new(Singles.ElementAt(MostSingles),
                $"it has more than {MostSingles} records; take them as Records<T>");
        }

        IParameterSymbol? held = Of(TransactionRole.Input, TransactionRole.Output)
            .FirstOrDefault(static p => p.Type.IsRefLikeType);
        if (held is not null)
            return new(held, $"'{Signatures.Show(held)}' is a ref struct, which can't be kept while it runs again");
        IParameterSymbol? lost = Of(TransactionRole.Key)
            .FirstOrDefault(p => Singles.All(single => single.Name != RecordNamedBy(p)));
        return lost is null
            ? default
            : new(lost, $"[KeyOf] of '{lost.Name}' must name a parameter that is a record, other than a set");
    }
}
