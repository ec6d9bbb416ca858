using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>
/// The runtime's layout of an unmanaged type, as far as the compiler knows it. A store needs it to compare keys by
/// their bytes, and to reject records with other fields.
/// </summary>
internal sealed class TypeLayout
{
    // For types that contain themselves (a user's error) or grow without end, the rest is omitted.
    private const int MaxFields = 4096;

    private TypeLayout(string text, long size, int alignment, LayoutTraits traits)
    {
        Text = text;
        Size = size;
        Alignment = alignment;
        Traits = traits;
    }

    /// <summary>The fields with names and types, in order; a name for framework types.</summary>
    public string Text { get; }

    /// <summary>The size in bytes; 0 if it is unknown.</summary>
    public long Size { get; }

    public int Alignment { get; }

    public LayoutTraits Traits { get; }

    public bool HasPadding => (Traits & LayoutTraits.Padding) != 0;

    public bool HasFloat => (Traits & LayoutTraits.Float) != 0;

    public static TypeLayout Of(ITypeSymbol type)
    {
        int budget = MaxFields;
        return Of(type, ref budget);
    }

    private static TypeLayout Of(ITypeSymbol type, ref int budget)
    {
        if (type is INamedTypeSymbol { TypeKind: TypeKind.Enum, EnumUnderlyingType: { } underlying })
            return Of(underlying, ref budget);
        if (--budget <= 0) return new("…", 0, 1, LayoutTraits.Unknown);
        if (FrameworkLayouts.Find(type) is (var size, var alignment, var traits))
            return new(FrameworkLayouts.NameOf(type), size, alignment, traits);
        if (type is not INamedTypeSymbol { TypeKind: TypeKind.Struct } named)
            return new(FrameworkLayouts.NameOf(type), 0, 1, LayoutTraits.Unknown);
        if (named.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T) return OfNullable(named, ref budget);
        if (named is { IsTupleType: true, TupleElements.Length: > 0 }) return OfTuple(named, ref budget);
        if (named.Is("System.Collections.Generic.KeyValuePair", arity: 2))
            return OfFields(named.TypeArguments, ["Key", "Value"], ref budget);
        // The compiler does not see the framework's private fields.
        return FrameworkLayouts.IsFramework(named)
            ? new(FrameworkLayouts.NameOf(named), 0, 1, LayoutTraits.Unknown)
            : OfStruct(named, ref budget);
    }

    private static TypeLayout OfNullable(INamedTypeSymbol type, ref int budget)
    {
        TypeLayout value = Of(type.TypeArguments[0], ref budget);
        // A bool precedes the value.
        LayoutTraits padding = value.Alignment > 1 ? LayoutTraits.Padding : LayoutTraits.None;
        long size = value.Size == 0 ? 0 : value.Alignment + value.Size;
        return new(value.Text + "?", size, value.Alignment, value.Traits | padding);
    }

    // The runtime orders a tuple's items by size, so there is padding only at the end.
    private static TypeLayout OfTuple(INamedTypeSymbol type, ref int budget)
    {
        var items = new List<TypeLayout>();
        var texts = new List<string>();
        foreach (IFieldSymbol element in type.TupleElements)
        {
            TypeLayout item = Of(element.Type, ref budget);
            items.Add(item);
            texts.Add($"{item.Text} {element.Name}");
        }

        string text = $"({string.Join(", ", texts)})";
        LayoutTraits traits = items.Aggregate(LayoutTraits.None, static (all, item) => all | item.Traits);
        int alignment = items.Max(i => i.Alignment);
        if (items.Any(i => i.Size == 0)) return new(text, 0, alignment, traits);
        long covered = items.Sum(i => i.Size);
        long size = Align(covered, alignment);
        return new(text, size, alignment, size == covered ? traits : traits | LayoutTraits.Padding);
    }

    private static TypeLayout OfFields(IReadOnlyList<ITypeSymbol> types, string[] names, ref int budget)
    {
        var fields = new SequentialFields(pack: 0);
        for (int i = 0; i < names.Length; i++) fields.Add(Of(types[i], ref budget), names[i], count: 1);
        return fields.End("", declaredSize: 0, times: 1);
    }

    private static TypeLayout OfStruct(INamedTypeSymbol type, ref int budget)
    {
        AttributeData? declared = type.FindAttribute("System.Runtime.InteropServices.StructLayoutAttribute");
        // LayoutKind.Explicit is 2, Auto is 3; the attribute also has a constructor that takes a short.
        int kind = declared?.ConstructorArguments.FirstOrDefault().Value switch { int i => i, short s => s, _ => 0 };
        int Named(string name) => declared?.NamedArguments.FirstOrDefault(a => a.Key == name).Value.Value as int? ?? 0;
        int pack = Named("Pack");
        int times = type.FindAttribute("System.Runtime.CompilerServices.InlineArrayAttribute")
            ?.ConstructorArguments.FirstOrDefault().Value as int? ?? 1;
        SequentialFields fields = kind == 2 ? new ExplicitFields() : new SequentialFields(pack);
        foreach (IFieldSymbol field in type.GetMembers().OfType<IFieldSymbol>().Where(f => !f.IsStatic))
        {
            ITypeSymbol held = field is { IsFixedSizeBuffer: true, Type: IPointerTypeSymbol p }
                ? p.PointedAtType
                : field.Type;
            int count = field.IsFixedSizeBuffer ? field.FixedSize : 1;
            TypeLayout layout = Of(held, ref budget);
            if (kind == 2) fields.MoveTo(OffsetOf(field));
            fields.Add(layout, StoredName.Of(field), count);
        }

        string prefix = kind == 3 ? "auto " : pack > 0 ? $"pack {pack} " : "";
        TypeLayout whole = fields.End(prefix, Named("Size"), times);
        // The runtime orders the fields, so neither size nor padding is known.
        return kind == 3 ? new(whole.Text, 0, whole.Alignment, whole.Traits | LayoutTraits.Unknown) : whole;
    }

    private static int OffsetOf(IFieldSymbol field) =>
        field.FindAttribute("System.Runtime.InteropServices.FieldOffsetAttribute")
            ?.ConstructorArguments.FirstOrDefault().Value as int? ?? 0;

    private static long Align(long value, int unit) => (value + unit - 1) / unit * unit;

    /// <summary>Fields one after another, each at a multiple of its alignment.</summary>
    private class SequentialFields(int pack)
    {
        private readonly List<string> _texts = [];
        private readonly List<(long At, long Size)> _covered = [];
        private LayoutTraits _traits;
        private long _end;
        private int _alignment = 1;
        private bool _hasUnknownSize;

        /// <summary>The declared offset of the next field, or null if it is not declared.</summary>
        protected long? At { get; set; }

        public virtual void MoveTo(long offset) => throw new NotSupportedException();

        public void Add(TypeLayout field, string name, int count)
        {
            int alignment = pack > 0 ? Math.Min(pack, field.Alignment) : field.Alignment;
            long at = At ?? Align(_end, alignment);
            long size = field.Size * count;
            _texts.Add($"{field.Text} {name}{(count > 1 ? $"[{count}]" : "")}{(At is null ? "" : $" @{at}")};");
            _covered.Add((at, size));
            _end = Math.Max(_end, at + size);
            _alignment = Math.Max(_alignment, alignment);
            _traits |= field.Traits;
            _hasUnknownSize |= field.Size == 0;
        }

        public TypeLayout End(string prefix, int declaredSize, int times)
        {
            string text = $"{prefix}{{ {string.Join(" ", _texts)} }}{(times > 1 ? $" x {times}" : "")}";
            if (_hasUnknownSize) return new(text, 0, _alignment, _traits);
            long size = Math.Max(Align(Math.Max(_end, 1), _alignment), declaredSize);
            long reached = 0;
            bool hasHole = false;
            foreach ((long at, long covered) in _covered.OrderBy(c => c.At))
            {
                hasHole |= at > reached;
                reached = Math.Max(reached, at + covered);
            }

            LayoutTraits padding = hasHole || reached < size ? LayoutTraits.Padding : LayoutTraits.None;
            return new(text, size * times, _alignment, _traits | padding);
        }
    }

    /// <summary>Fields at declared offsets; they may overlap.</summary>
    private sealed class ExplicitFields() : SequentialFields(pack: 0)
    {
        public override void MoveTo(long offset) => At = offset;
    }
}

/// <summary>Traits by which a key's bytes differ from its value.</summary>
[Flags]
internal enum LayoutTraits
{
    None = 0,

    /// <summary>Bytes that no field covers.</summary>
    Padding = 1,

    /// <summary>Floating-point numbers.</summary>
    Float = 2,

    /// <summary>Fields that the compiler does not see.</summary>
    Unknown = 4,
}
