using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>Determines how values of a type are stored in a record.</summary>
internal static class TypeClassifier
{
    public static DataModel Classify(ITypeSymbol type)
    {
        DataKind kind = KindOf(type);
        string name = kind switch
        {
            DataKind.Bytes => "byte[]",
            DataKind.Text => "string",
            _ => type.WithNullableAnnotation(NullableAnnotation.NotAnnotated).NameInCode(),
        };
        string schema = kind switch
        {
            DataKind.Bytes => "bytes",
            DataKind.Text => "utf-8",
            DataKind.Serialized => "json:" + type.ToDisplayString(KnownTypes.Plain),
            _ => type.ToDisplayString(KnownTypes.Plain),
        };
        bool isReference = kind != DataKind.Unmanaged && (kind != DataKind.Serialized || type.IsReferenceType);
        string layout = kind switch
        {
            DataKind.Serialized => "json " + StoredName.Of(type),
            DataKind.Unmanaged => TypeLayout.Of(type).Text,
            _ => schema,
        };
        return new DataModel(kind, name, isReference, IsWord(type), schema, layout);
    }

    public static DataKind KindOf(ITypeSymbol type)
    {
        if (type is IArrayTypeSymbol { Rank: 1, ElementType.SpecialType: SpecialType.System_Byte }
            || type.IsSpanOfBytes() || type.IsWritableSpanOfBytes()
            || type.Is("System.ReadOnlyMemory<System.Byte>") || type.Is("System.Memory<System.Byte>"))
        {
            return DataKind.Bytes;
        }

        if (type.SpecialType == SpecialType.System_String || type.IsSpanOfChars()) return DataKind.Text;
        // The compiler considers int? unmanaged, but it does not satisfy the constraint.
        bool isNullable = type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T;
        return type.IsUnmanagedType && !isNullable ? DataKind.Unmanaged : DataKind.Serialized;
    }

    /// <summary>Returns why no store can hold values of the type, or null if one can.</summary>
    public static string? WhyUnusable(ITypeSymbol type, Compilation compilation)
    {
        if (WhyUnusableOperand(type, compilation) is { } why) return why;
        if (type.IsRefLikeType && KindOf(type) is not (DataKind.Bytes or DataKind.Text)) return "it is a ref struct";
        return HoldsPointers(type, depth: 0) ? "it contains pointers, which are meaningless on disk" : null;
    }

    /// <summary>Returns why a type cannot be an input, output or context either, or null if it can.</summary>
    public static string? WhyUnusableOperand(ITypeSymbol type, Compilation compilation)
    {
        if (Named(type).Any(static t => t.TypeKind is TypeKind.Pointer or TypeKind.FunctionPointer))
            return "pointers are meaningless on disk, and after a wait for the disk";
        if (type.TypeKind is TypeKind.TypeParameter) return "it is a type parameter";
        if (type.TypeKind is TypeKind.Dynamic) return "it is dynamic";
        if (type.SpecialType == SpecialType.System_Void) return "it has no values";
        if (type is INamedTypeSymbol { IsUnboundGenericType: true }) return "its type arguments are missing";
        return type.IsStatic ? "it is static and has no values" : WhyHidden(type, compilation);
    }

    /// <summary>Returns why stores and sessions cannot expose a type, or null if they can.</summary>
    public static string? WhyHidden(ITypeSymbol type, Compilation compilation) =>
        WhyUnnameable(type, compilation) ?? (AccessibilityOf(type) < Accessibility.Internal
            ? "it is private or protected, and sessions expose it"
            : null);

    /// <summary>Returns whether the type does not exist, which the compiler reports itself.</summary>
    public static bool IsError(ITypeSymbol? type) =>
        type is not null && Named(type).Any(static t => t.TypeKind == TypeKind.Error);

    /// <summary>
    /// Returns the effective accessibility of a type: public, internal, or private for anything less.
    /// </summary>
    public static Accessibility AccessibilityOf(ITypeSymbol type) =>
        Named(type).Aggregate(Accessibility.Public, static (least, t) => Least(least, t.DeclaredAccessibility switch
        {
            Accessibility.Public or Accessibility.NotApplicable => Accessibility.Public,
            Accessibility.Internal or Accessibility.ProtectedOrInternal => Accessibility.Internal,
            _ => Accessibility.Private,
        }));

    /// <summary>
    /// Returns why no code in another file can name a type, because of any part of its name; null if some can.
    /// </summary>
    public static string? WhyUnnameable(ITypeSymbol type, Compilation compilation)
    {
        INamedTypeSymbol[] named = [.. Named(type).OfType<INamedTypeSymbol>()];
        return named.Any(static t => t.IsFileLocal) ? "it is file-local, and the generator emits to another file"
            : named.FirstOrDefault(t => !IsGlobal(t, compilation)) is { } alien
                ? $"'{alien.ContainingAssembly.Name}' is referenced under an extern alias only, and emitted code knows "
                    + "no alias: add 'global' to the reference's Aliases"
            : null;
    }

    // Returns a type and all types that its name consists of: elements, type arguments and containing types.
    private static IEnumerable<ITypeSymbol> Named(ITypeSymbol type)
    {
        IEnumerable<ITypeSymbol> parts = type switch
        {
            IArrayTypeSymbol array => [array.ElementType],
            INamedTypeSymbol named => (named.IsUnboundGenericType ? [] : named.TypeArguments.AsEnumerable())
                .Concat(named.ContainingType is { } outer ? [outer] : []),
            _ => [],
        };
        return parts.SelectMany(Named).Prepend(type);
    }

    private static bool IsGlobal(INamedTypeSymbol type, Compilation compilation) =>
        type.ContainingType is not null || type.TypeKind is TypeKind.Dynamic or TypeKind.Error
        || compilation.GetCompilationNamespace(type.ContainingNamespace)?.GetTypeMembers(type.Name, type.Arity)
            .Contains(type.OriginalDefinition, SymbolEqualityComparer.Default) == true;

    public static Accessibility Least(Accessibility a, Accessibility b) => a < b ? a : b;

    private static bool IsWord(ITypeSymbol type) =>
        type.TypeKind == TypeKind.Enum || type.SpecialType is
            SpecialType.System_Boolean or SpecialType.System_Char or SpecialType.System_SByte or
            SpecialType.System_Byte or SpecialType.System_Int16 or SpecialType.System_UInt16 or
            SpecialType.System_Int32 or SpecialType.System_UInt32 or SpecialType.System_Int64 or
            SpecialType.System_UInt64 or SpecialType.System_Single or SpecialType.System_Double;

    private static bool HoldsPointers(ITypeSymbol type, int depth)
    {
        if (depth > 8 || type.TypeKind != TypeKind.Struct || type.SpecialType != SpecialType.None) return false;
        return type.GetMembers().OfType<IFieldSymbol>().Any(f => f is { IsStatic: false, IsFixedSizeBuffer: false }
            && (f.Type.TypeKind is TypeKind.Pointer or TypeKind.FunctionPointer || HoldsPointers(f.Type, depth + 1)));
    }
}
