using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.Parsing;

/// <summary>Checks that a user function is a method that emitted code can call, and that the call reaches it.</summary>
internal static class PlainMethod
{
    /// <summary>Returns what is wrong with a method, or null.</summary>
    public static string? WhyNot(IMethodSymbol method) => !method.IsStatic ? "not static"
        : method.IsAsync ? "async"
        : method.IsGenericMethod ? "generic"
        : method.ReturnsByRef || method.ReturnsByRefReadonly ? "returning a reference"
        : MayVanish(method) ? "partial without a body, so calls of it are removed; give it one, or an access modifier"
        : method.FindAttribute("System.Diagnostics.ConditionalAttribute") is not null ? "conditional"
        : method.FindAttribute("System.Runtime.InteropServices.UnmanagedCallersOnlyAttribute") is not null
            ? "for unmanaged callers only"
        : IsObsolete(method) ? "obsolete, and calls of it are errors"
        : Overloads(method).Any(other => PriorityOf(other) > PriorityOf(method))
            ? "overloaded by a method with a higher [OverloadResolutionPriority], which any call would reach"
        : null;

    /// <summary>Returns the other methods of a method's name.</summary>
    public static IEnumerable<IMethodSymbol> Overloads(IMethodSymbol method) => method.ContainingType
        .GetMembers(method.Name).OfType<IMethodSymbol>()
        .Where(other => !SymbolEqualityComparer.Default.Equals(other, method));

    // With an access modifier, the compiler requires a body, which may come from another generator.
    private static bool MayVanish(IMethodSymbol method) =>
        method is { IsPartialDefinition: true, PartialImplementationPart: null }
        && method.DeclaringSyntaxReferences.All(static r => r.GetSyntax() is MethodDeclarationSyntax declaration
            && !declaration.Modifiers.Any(static m => SyntaxFacts.IsAccessibilityModifier(m.Kind())));

    private static bool IsObsolete(IMethodSymbol method) =>
        Arguments(method, "System.ObsoleteAttribute").Any(static a => a.Value is true);

    private static int PriorityOf(IMethodSymbol method) =>
        Arguments(method, "System.Runtime.CompilerServices.OverloadResolutionPriorityAttribute")
            .Select(static a => a.Value).OfType<int>().FirstOrDefault();

    private static ImmutableArray<TypedConstant> Arguments(IMethodSymbol method, string attribute) =>
        method.FindAttribute(attribute)?.ConstructorArguments ?? [];
}
