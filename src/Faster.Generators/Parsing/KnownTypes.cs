using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>Recognizes the types and attributes that the parser needs, by name.</summary>
internal static class KnownTypes
{
    public const string StoreAttribute = "Faster.StoreAttribute";

    private static readonly SymbolDisplayFormat Qualified = SymbolDisplayFormat.FullyQualifiedFormat
        .AddMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);

    /// <summary>The format with the full name and all type arguments, without <c>global::</c> and keywords.</summary>
    public static readonly SymbolDisplayFormat Plain = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypesAndNamespaces,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters);

    /// <summary>
    /// Returns a type's name in emitted code. It has no word that would refer to a user's type of that name.
    /// </summary>
    public static string NameInCode(this ITypeSymbol type) => string.Concat(type.ToDisplayParts(Qualified)
        .Select(static part => part.Kind != SymbolDisplayPartKind.Keyword ? part.ToString() : part.ToString() switch
        {
            "nint" => "global::System.IntPtr",
            "nuint" => "global::System.UIntPtr",
            var keyword => keyword,
        }));

    public static bool Is(this ITypeSymbol? type, string fullName) => type?.ToDisplayString(Plain) == fullName;

    /// <summary>Returns whether a type is generic and has a given name, with any type arguments.</summary>
    public static bool Is(this INamedTypeSymbol type, string fullName, int arity) => type.Arity == arity
        && fullName == $"{type.ContainingNamespace.ToDisplayString(Plain)}.{type.Name}";

    public static bool IsSpanOfBytes(this ITypeSymbol type) => type.Is("System.ReadOnlySpan<System.Byte>");

    public static bool IsWritableSpanOfBytes(this ITypeSymbol type) => type.Is("System.Span<System.Byte>");

    public static bool IsSpanOfChars(this ITypeSymbol type) => type.Is("System.ReadOnlySpan<System.Char>");

    public static bool IsByteWriter(this ITypeSymbol type) =>
        type.Is("System.Buffers.IBufferWriter<System.Byte>");

    public static bool IsValueSlot(this ITypeSymbol type) => type.Is("Faster.ValueSlot");

    public static bool IsException(this ITypeSymbol type) => type.Is("System.Exception");

    public static bool IsStatus(this ITypeSymbol? type) => type.Is("Faster.Status");

    public static AttributeData? FindAttribute(this ISymbol symbol, string fullName) =>
        symbol.GetAttributes().FirstOrDefault(a => a.AttributeClass.Is(fullName));

    public static Location LocationOf(ISymbol symbol) => symbol.Locations.FirstOrDefault() ?? Location.None;
}
