using Faster.Generators.Diagnostics;
using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>Checks that serialized keys and values have a serializer context that includes their types.</summary>
internal static class SerializerLookup
{
    /// <summary>The property of the diagnostic that has the type's name, for the code fix.</summary>
    public const string TypeProperty = "Type";

    // Tuples are the same type whatever the names of their items.
    private static readonly SymbolDisplayFormat Nameless =
        KnownTypes.Plain.AddMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.ExpandValueTuple);

    public static INamedTypeSymbol? ContextOf(AttributeData attribute) =>
        attribute.NamedArguments.FirstOrDefault(a => a.Key == "SerializerContext").Value.Value as INamedTypeSymbol;

    public static bool Check(
        ITypeSymbol type, INamedTypeSymbol store, AttributeData attribute, Compilation compilation,
        Action<Diagnostic> report)
    {
        if (TypeClassifier.KindOf(type) != DataKind.Serialized) return true;
        INamedTypeSymbol? context = ContextOf(attribute);
        string name = type.WithNullableAnnotation(NullableAnnotation.NotAnnotated).ToDisplayString();
        const string naming = "name a JsonSerializerContext in [Store(SerializerContext = typeof(...))]";
        string? why = type.IsTupleType && !IncludesFields(context)
            ? "System.Text.Json omits a tuple's fields; make it a record"
            : context is null ? Nullable(type) is { } inner
                ? $"store {inner}, because a read already reports a missing key, or " + naming
                : naming
            : !DerivesFromContext(context) ? $"'{context.Name}' does not derive from JsonSerializerContext"
            : TypeClassifier.WhyUnnameable(context, compilation) is { } unnameable
                ? $"'{context.Name}' can't be used, because {unnameable}"
            : !Knows(context, type) ? $"add [JsonSerializable(typeof({name}))] to '{context.Name}'"
            : null;
        if (why is null) return true;
        var properties = System.Collections.Immutable.ImmutableDictionary<string, string?>.Empty
            .Add(TypeProperty, type.IsTupleType ? null : name);
        report(Diagnostic.Create(Descriptors.NoSerializer, KnownTypes.LocationOf(store), properties,
            type.ToDisplayString(), why));
        return false;
    }

    private static bool DerivesFromContext(INamedTypeSymbol context)
    {
        for (INamedTypeSymbol? type = context.BaseType; type is not null; type = type.BaseType)
        {
            if (type.Is("System.Text.Json.Serialization.JsonSerializerContext")) return true;
        }

        return false;
    }

    // The context's generated part is not visible here, but its attributes are. Contexts of other assemblies are
    // compiled.
    private static bool Knows(INamedTypeSymbol context, ITypeSymbol type) => context.GetAttributes().Any(a =>
        a.AttributeClass.Is("System.Text.Json.Serialization.JsonSerializableAttribute")
        && a.ConstructorArguments.FirstOrDefault().Value is ITypeSymbol known
        && known.ToDisplayString(Nameless) == type.ToDisplayString(Nameless));

    private static bool IncludesFields(INamedTypeSymbol? context) => context
        ?.FindAttribute("System.Text.Json.Serialization.JsonSourceGenerationOptionsAttribute")
        ?.NamedArguments.Any(a => a is { Key: "IncludeFields", Value.Value: true }) == true;

    private static string? Nullable(ITypeSymbol type) =>
        type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable
            ? $"'{Signatures.Name(nullable.TypeArguments[0])}'"
            : null;
}
