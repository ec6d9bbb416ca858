using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>Computes how the runtime lays out an unmanaged key, to find padding and floating-point fields.</summary>
internal readonly struct KeyLayout
{
    private KeyLayout(int size, int alignment, bool hasPadding, bool hasFloat)
    {
        Size = size;
        Alignment = alignment;
        HasPadding = hasPadding;
        HasFloat = hasFloat;
    }

    public int Size { get; }

    public int Alignment { get; }

    public bool HasPadding { get; }

    public bool HasFloat { get; }

    /// <summary>The layout, or null where it can't be told from what the compiler knows.</summary>
    public static KeyLayout? Of(ITypeSymbol type)
    {
        if (type is INamedTypeSymbol { TypeKind: TypeKind.Enum, EnumUnderlyingType: { } underlying })
            return Of(underlying);
        KeyLayout? known = OfSpecial(type);
        if (known is not null) return known;
        // Private fields of other assemblies may be missing from what the compiler sees.
        bool isOurs = type.TypeKind == TypeKind.Struct && type.DeclaringSyntaxReferences.Length > 0;
        return isOurs ? OfStruct(type) : null;
    }

    private static KeyLayout? OfSpecial(ITypeSymbol type) => type.SpecialType switch
    {
        SpecialType.System_Boolean or SpecialType.System_SByte or SpecialType.System_Byte => Whole(1),
        SpecialType.System_Char or SpecialType.System_Int16 or SpecialType.System_UInt16 => Whole(2),
        SpecialType.System_Int32 or SpecialType.System_UInt32 => Whole(4),
        SpecialType.System_Int64 or SpecialType.System_UInt64 or SpecialType.System_DateTime => Whole(8),
        SpecialType.System_IntPtr or SpecialType.System_UIntPtr => Whole(8),
        SpecialType.System_Single => new KeyLayout(4, 4, false, true),
        SpecialType.System_Double => new KeyLayout(8, 8, false, true),
        SpecialType.System_Decimal => new KeyLayout(16, 8, false, false),
        _ => type.ToDisplayString(KnownTypes.Plain) switch
        {
            "System.Guid" => new KeyLayout(16, 4, false, false),
            "System.Half" => new KeyLayout(2, 2, false, true),
            "System.DateOnly" or "System.Text.Rune" => Whole(4),
            "System.TimeOnly" or "System.TimeSpan" => Whole(8),
            "System.Int128" or "System.UInt128" => Whole(16),
            "System.DateTimeOffset" => new KeyLayout(16, 8, true, false),
            _ => null,
        },
    };

    private static KeyLayout? OfStruct(ITypeSymbol type)
    {
        int end = 0, alignment = 1, covered = 0;
        bool hasPadding = false, hasFloat = false;
        AttributeData? declared = type.FindAttribute("System.Runtime.InteropServices.StructLayoutAttribute");
        if (declared?.ConstructorArguments.FirstOrDefault().Value is 2) return OfExplicit(type); // LayoutKind.Explicit
        int pack = declared?.NamedArguments.FirstOrDefault(a => a.Key == "Pack").Value.Value as int? ?? 0;
        int inline = type.FindAttribute("System.Runtime.CompilerServices.InlineArrayAttribute")
            ?.ConstructorArguments.FirstOrDefault().Value as int? ?? 1;
        foreach (IFieldSymbol field in type.GetMembers().OfType<IFieldSymbol>().Where(f => !f.IsStatic))
        {
            if (OfField(field) is not { } layout) return null;
            int fieldAlignment = pack > 0 ? Math.Min(pack, layout.Alignment) : layout.Alignment;
            end = Align(end, fieldAlignment) + (layout.Size * inline);
            covered += layout.Size * inline;
            alignment = Math.Max(alignment, fieldAlignment);
            hasPadding |= layout.HasPadding;
            hasFloat |= layout.HasFloat;
        }

        int declaredSize = declared?.NamedArguments.FirstOrDefault(a => a.Key == "Size").Value.Value as int? ?? 0;
        int size = Math.Max(Align(Math.Max(end, 1), alignment), declaredSize);
        return new KeyLayout(size, alignment, hasPadding || covered != size, hasFloat);
    }

    // Overlapping fields can't leave more bytes uncovered than this finds; a union's size is its furthest end.
    private static KeyLayout? OfExplicit(ITypeSymbol type)
    {
        bool[] covered = new bool[4096];
        int end = 0, alignment = 1;
        bool hasPadding = false, hasFloat = false;
        foreach (IFieldSymbol field in type.GetMembers().OfType<IFieldSymbol>().Where(f => !f.IsStatic))
        {
            object? at = field.FindAttribute("System.Runtime.InteropServices.FieldOffsetAttribute")
                ?.ConstructorArguments.FirstOrDefault().Value;
            if (at is not int offset || OfField(field) is not { } layout || offset + layout.Size > covered.Length)
                return null;
            for (int i = 0; i < layout.Size; i++) covered[offset + i] = true;
            end = Math.Max(end, offset + layout.Size);
            alignment = Math.Max(alignment, layout.Alignment);
            hasPadding |= layout.HasPadding;
            hasFloat |= layout.HasFloat;
        }

        int size = Align(Math.Max(end, 1), alignment);
        return new KeyLayout(size, alignment, hasPadding || covered.Take(size).Any(c => !c), hasFloat);
    }

    private static KeyLayout? OfField(IFieldSymbol field)
    {
        if (!field.IsFixedSizeBuffer) return Of(field.Type);
        KeyLayout? element = field.Type is IPointerTypeSymbol pointer ? Of(pointer.PointedAtType) : null;
        return element is { } e ? new KeyLayout(e.Size * field.FixedSize, e.Alignment, false, e.HasFloat) : null;
    }

    private static KeyLayout Whole(int size) => new(size, size, false, false);

    private static int Align(int value, int unit) => (value + unit - 1) / unit * unit;
}
