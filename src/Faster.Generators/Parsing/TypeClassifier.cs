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
            _ => type.WithNullableAnnotation(NullableAnnotation.NotAnnotated).ToDisplayString(KnownTypes.Qualified),
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
    public static string? WhyUnusable(ITypeSymbol type)
    {
        if (WhyUnusableOperand(type) is { } why) return why;
        if (type.IsRefLikeType && KindOf(type) is not (DataKind.Bytes or DataKind.Text)) return "it is a ref struct";
        return HoldsPointers(type, depth: 0) ? "it contains pointers, which are meaningless on disk" : null;
    }

    /// <summary>Returns why a type cannot be an input, output or context either, or null if it can.</summary>
    public static string? WhyUnusableOperand(ITypeSymbol type)
    {
        if (NeedsUnsafe(type)) return "pointers are meaningless on disk, and after a wait for the disk";
        if (type.TypeKind is TypeKind.TypeParameter) return "it is a type parameter";
        if (type.TypeKind is TypeKind.Dynamic) return "it is dynamic";
        if (type.SpecialType == SpecialType.System_Void) return "it has no values";
        if (type is INamedTypeSymbol { IsUnboundGenericType: true }) return "its type arguments are missing";
        if (type.IsStatic) return "it is static and has no values";
        return IsFileLocal(type) ? "it is file-local, and the generator emits to another file"
            : AccessibilityOf(type) < Accessibility.Internal ? "it is private or protected, and sessions expose it"
            : null;
    }

    /// <summary>Returns whether the type does not exist, which the compiler reports itself.</summary>
    public static bool IsError(ITypeSymbol? type) => type switch
    {
        { TypeKind: TypeKind.Error } => true,
        IArrayTypeSymbol array => IsError(array.ElementType),
        INamedTypeSymbol { IsGenericType: true, IsUnboundGenericType: false } named => named.TypeArguments.Any(IsError),
        _ => false,
    };

    private static bool NeedsUnsafe(ITypeSymbol type) => type switch
    {
        { TypeKind: TypeKind.Pointer or TypeKind.FunctionPointer } => true,
        IArrayTypeSymbol array => NeedsUnsafe(array.ElementType),
        INamedTypeSymbol named => named.TypeArguments.Any(NeedsUnsafe),
        _ => false,
    };

    private static bool IsFileLocal(ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => IsFileLocal(array.ElementType),
        INamedTypeSymbol named => named.IsFileLocal || named.TypeArguments.Any(IsFileLocal)
            || (named.ContainingType is { } outer && IsFileLocal(outer)),
        _ => false,
    };

    /// <summary>
    /// Returns the effective accessibility of a type: public, internal, or private for anything less.
    /// </summary>
    public static Accessibility AccessibilityOf(ITypeSymbol type)
    {
        Accessibility least = Accessibility.Public;
        if (type is IArrayTypeSymbol array) return AccessibilityOf(array.ElementType);
        if (type is INamedTypeSymbol { IsGenericType: true } generic)
        {
            foreach (ITypeSymbol argument in generic.TypeArguments) least = Least(least, AccessibilityOf(argument));
        }

        for (ITypeSymbol? t = type; t is not null; t = t.ContainingType)
        {
            least = Least(least, t.DeclaredAccessibility switch
            {
                Accessibility.Public or Accessibility.NotApplicable => Accessibility.Public,
                Accessibility.Internal or Accessibility.ProtectedOrInternal => Accessibility.Internal,
                _ => Accessibility.Private,
            });
        }

        return least;
    }

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
