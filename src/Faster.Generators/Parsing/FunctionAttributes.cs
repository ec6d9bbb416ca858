using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>Finds the user functions among a class's methods.</summary>
internal static class FunctionAttributes
{
    /// <summary>Returns the kinds that a method is marked with, usually none or one.</summary>
    public static IEnumerable<FunctionKind> KindsOf(IMethodSymbol method)
    {
        foreach (AttributeData attribute in method.GetAttributes())
        {
            if (attribute.AttributeClass is not { ContainingNamespace.Name: "Faster" } type) continue;
            const string suffix = "Attribute";
            if (!type.Name.EndsWith(suffix, StringComparison.Ordinal)) continue;
            string name = type.Name.Substring(0, type.Name.Length - suffix.Length);
            if (Enum.TryParse(name, out FunctionKind kind) && type.Is("Faster." + type.Name)) yield return kind;
        }
    }
}
