using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.Parsing;

/// <summary>
/// Finds the places in a store's class that name something from outside by a name that the generator adds to the class:
/// in the emitted class they would refer to the added member.
/// </summary>
internal static class HiddenNames
{
    /// <summary>Returns the places, in all parts of the class and in its attributes.</summary>
    /// <param name="store">The class, before anything is added to it.</param>
    /// <param name="added">The names of the members that are added.</param>
    /// <param name="cancellationToken">Ends the search.</param>
    public static IEnumerable<IdentifierNameSyntax> In(
        INamedTypeSymbol store, string[] added, CancellationToken cancellationToken)
    {
        if (store.ContainingAssembly is not ISourceAssemblySymbol { Compilation: { } compilation }) yield break;
        foreach (SyntaxReference part in store.DeclaringSyntaxReferences)
        {
            SemanticModel? model = null; // most classes have no such name
            foreach (SyntaxNode node in part.GetSyntax(cancellationToken).DescendantNodes())
            {
                if (node is not IdentifierNameSyntax name || !added.Contains(name.Identifier.ValueText)
                    || !IsLookedUp(name)) continue;
                model ??= compilation.GetSemanticModel(part.SyntaxTree);
                if (IsHidden(model.GetSymbolInfo(name, cancellationToken).Symbol, store)) yield return name;
            }
        }
    }

    // Whether a name is looked up from the class outward, and not in what stands to the left of it.
    private static bool IsLookedUp(IdentifierNameSyntax name) => name.Parent switch
    {
        QualifiedNameSyntax qualified => qualified.Left == name,
        MemberAccessExpressionSyntax access => access.Expression == name,
        AliasQualifiedNameSyntax or MemberBindingExpressionSyntax or AttributeSyntax or NameColonSyntax
            or NameEqualsSyntax => false,
        AssignmentExpressionSyntax { Parent: InitializerExpressionSyntax } set => set.Left != name,
        _ => true,
    };

    // Locals and parameters are nearer than members. Where a method is called, members that are none are passed over.
    private static bool IsHidden(ISymbol? found, INamedTypeSymbol store) => found switch
    {
        IMethodSymbol method => method.Name is "OpenAsync" or "RecoverAsync" && IsOutside(method, store),
        INamespaceOrTypeSymbol or IFieldSymbol or IPropertySymbol or IEventSymbol => IsOutside(found, store),
        _ => false,
    };

    private static bool IsOutside(ISymbol symbol, INamedTypeSymbol store) =>
        !SymbolEqualityComparer.Default.Equals(symbol.ContainingType, store);
}
