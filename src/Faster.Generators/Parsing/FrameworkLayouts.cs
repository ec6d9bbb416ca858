using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>
/// Layouts of the framework's types, because its reference assemblies do not contain their private fields.
/// </summary>
internal static class FrameworkLayouts
{
    private static readonly SymbolDisplayFormat Full = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypesAndNamespaces,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters,
        miscellaneousOptions: SymbolDisplayMiscellaneousOptions.UseSpecialTypes);

    private static readonly Dictionary<string, (int Size, int Alignment, LayoutTraits Traits)> Known = new()
    {
        ["System.Guid"] = (16, 4, default),
        ["System.DateOnly"] = (4, 4, default),
        ["System.TimeOnly"] = (8, 8, default),
        ["System.TimeSpan"] = (8, 8, default),
        ["System.DateTimeOffset"] = (16, 8, LayoutTraits.Padding),
        ["System.Int128"] = (16, 16, default),
        ["System.UInt128"] = (16, 16, default),
        ["System.Index"] = (4, 4, default),
        ["System.Range"] = (8, 4, default),
        ["System.Half"] = (2, 2, LayoutTraits.Float),
        ["System.Runtime.InteropServices.NFloat"] = (8, 8, LayoutTraits.Float),
        ["System.Text.Rune"] = (4, 4, default),
        ["System.Drawing.Point"] = (8, 4, default),
        ["System.Drawing.Size"] = (8, 4, default),
        ["System.Drawing.Rectangle"] = (16, 4, default),
        ["System.Drawing.PointF"] = (8, 4, LayoutTraits.Float),
        ["System.Drawing.SizeF"] = (8, 4, LayoutTraits.Float),
        ["System.Drawing.RectangleF"] = (16, 4, LayoutTraits.Float),
        ["System.Numerics.Complex"] = (16, 8, LayoutTraits.Float),
        ["System.Numerics.Vector2"] = (8, 4, LayoutTraits.Float),
        ["System.Numerics.Vector3"] = (12, 4, LayoutTraits.Float),
        ["System.Numerics.Vector4"] = (16, 4, LayoutTraits.Float),
        ["System.Numerics.Plane"] = (16, 4, LayoutTraits.Float),
        ["System.Numerics.Quaternion"] = (16, 4, LayoutTraits.Float),
        ["System.Numerics.Matrix3x2"] = (24, 4, LayoutTraits.Float),
        ["System.Numerics.Matrix4x4"] = (64, 4, LayoutTraits.Float),
    };

    /// <summary>Returns the layout of a primitive or framework type, or null if it is unknown.</summary>
    public static (int Size, int Alignment, LayoutTraits Traits)? Find(ITypeSymbol type) => type.SpecialType switch
    {
        SpecialType.System_Boolean or SpecialType.System_SByte or SpecialType.System_Byte => (1, 1, default),
        SpecialType.System_Char or SpecialType.System_Int16 or SpecialType.System_UInt16 => (2, 2, default),
        SpecialType.System_Int32 or SpecialType.System_UInt32 => (4, 4, default),
        SpecialType.System_Int64 or SpecialType.System_UInt64 or SpecialType.System_DateTime => (8, 8, default),
        SpecialType.System_IntPtr or SpecialType.System_UIntPtr => (8, 8, default),
        SpecialType.System_Single => (4, 4, LayoutTraits.Float),
        SpecialType.System_Double => (8, 8, LayoutTraits.Float),
        SpecialType.System_Decimal => (16, 8, default),
        _ when IsFramework(type) && Known.TryGetValue(type.ToDisplayString(Full), out var known) => known,
        _ => null,
    };

    /// <summary>
    /// Returns whether a type belongs to the framework, so that the compiler does not see its private fields.
    /// </summary>
    public static bool IsFramework(ITypeSymbol type)
    {
        if (type.DeclaringSyntaxReferences.Length > 0) return false;
        INamespaceSymbol? root = type.ContainingNamespace;
        while (root is { ContainingNamespace.IsGlobalNamespace: false }) root = root.ContainingNamespace;
        return root?.Name == "System";
    }

    /// <summary>Returns a framework type's name in a layout.</summary>
    public static string NameOf(ITypeSymbol type) =>
        type.WithNullableAnnotation(NullableAnnotation.NotAnnotated).ToDisplayString(Full);
}
