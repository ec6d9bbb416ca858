using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>The names by which a store knows fields and serialized types: their own, or those of <c>[StoredAs]</c>.
/// </summary>
internal static class StoredName
{
    private const string Attribute = "Faster.StoredAsAttribute";

    private static readonly SymbolDisplayFormat Short = new(
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters,
        miscellaneousOptions: SymbolDisplayMiscellaneousOptions.UseSpecialTypes);

    /// <summary>
    /// Returns a field's name; for a backing field, the name of its property, positional parameter or captured
    /// parameter.
    /// </summary>
    public static string Of(IFieldSymbol field)
    {
        int end = field.Name.IndexOf('>');
        string name = field.Name.StartsWith("<", StringComparison.Ordinal) && end > 1
            ? field.Name.Substring(1, end - 1)
            : field.Name;
        ISymbol? parameter = field.ContainingType.InstanceConstructors
            .SelectMany(c => c.Parameters).FirstOrDefault(p => p.Name == name && Declared(p) is not null);
        ISymbol? property = field.ContainingType.GetMembers(name).FirstOrDefault();
        return Declared(field) ?? (property is null ? null : Declared(property))
            ?? (parameter is null ? null : Declared(parameter)) ?? name;
    }

    /// <summary>Returns a serialized type's name, without its namespace.</summary>
    public static string Of(ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => $"{Of(array.ElementType)}[{new string(',', array.Rank - 1)}]",
        INamedTypeSymbol { IsTupleType: false, TypeArguments.Length: > 0 } generic =>
            $"{Declared(type) ?? type.Name}<{string.Join(", ", generic.TypeArguments.Select(Of))}>",
        _ => Declared(type) ?? type.WithNullableAnnotation(NullableAnnotation.NotAnnotated).ToDisplayString(Short),
    };

    private static string? Declared(ISymbol symbol) =>
        symbol.FindAttribute(Attribute)?.ConstructorArguments.FirstOrDefault().Value as string;
}
