using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.Parsing;

/// <summary>
/// Finds keys that may be equal although their bytes differ: a store compares bytes, and would treat them as two keys.
/// </summary>
internal static class KeyEquality
{
    private const int MaxFields = 1024;

    /// <summary>Returns why equal keys may have different bytes, or null if they cannot.</summary>
    public static string? WhyNotBytes(ITypeSymbol key)
    {
        int budget = MaxFields;
        return Why(key, ref budget);
    }

    private static string? Why(ITypeSymbol type, ref int budget)
    {
        if (--budget <= 0) return null;
        string name = Signatures.Name(type);
        if (type.SpecialType == SpecialType.System_Decimal)
            return "the decimals 1.0 and 1.00 are equal, but their bytes differ; use a scaled integer";
        if (type.SpecialType == SpecialType.System_DateTime)
            return "a DateTime's bytes include its Kind, which its equality ignores; use its Ticks";
        if (type.Is("System.DateTimeOffset"))
            return "equal DateTimeOffsets may have different offsets, and so different bytes; use its UtcTicks";
        if (type is not INamedTypeSymbol { TypeKind: TypeKind.Struct } named || FrameworkLayouts.Find(type) is not null)
            return null;
        bool isShell = named.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T
            || named.Is("System.Collections.Generic.KeyValuePair", arity: 2);
        bool isTuple = named is { IsTupleType: true, TupleElements.Length: > 0 };
        IEnumerable<ITypeSymbol> held = isShell ? named.TypeArguments
            : isTuple ? named.TupleElements.Select(e => e.Type)
            : named.GetMembers().OfType<IFieldSymbol>().Where(f => !f.IsStatic).Select(f => f.Type);
        if (!isShell && !isTuple)
        {
            if (FrameworkLayouts.IsFramework(named))
            {
                return $"the fields of {name} are not visible here, so it is unknown whether equal values have equal "
                    + "bytes";
            }

            IMethodSymbol? own = named.GetMembers("Equals").OfType<IMethodSymbol>().FirstOrDefault(IsOwn);
            if (own is not null && !IsMemberwise(own, named))
            {
                return $"{name} declares its own Equals, which the store does not call; it must agree with a "
                    + "comparison of bytes";
            }
        }

        foreach (ITypeSymbol item in held)
        {
            if (Why(item, ref budget) is { } why) return why;
        }

        return null;
    }

    private static bool IsOwn(IMethodSymbol equals) => equals is { IsImplicitlyDeclared: false, IsStatic: false }
        && equals.Parameters.Length == 1
        && equals.FindAttribute("System.Runtime.CompilerServices.CompilerGeneratedAttribute") is null;

    // Returns whether Equals only compares all fields: a conjunction of comparisons that names each field.
    private static bool IsMemberwise(IMethodSymbol equals, INamedTypeSymbol type)
    {
        SyntaxNode[] bodies = [.. type.GetMembers("Equals").OfType<IMethodSymbol>().Where(IsOwn)
            .SelectMany(m => m.DeclaringSyntaxReferences).Select(r => r.GetSyntax())];
        if (bodies.Length == 0) return false;
        var named = new HashSet<string>();
        foreach (SyntaxNode node in bodies.SelectMany(Inner))
        {
            if (node is IdentifierNameSyntax identifier) named.Add(identifier.Identifier.ValueText);
            else if (node is TupleExpressionSyntax or ArgumentSyntax or ArgumentListSyntax) continue;
            else if (!IsPlain(node)) return false;
        }

        return equals.ContainingType.GetMembers().OfType<IFieldSymbol>().Where(f => !f.IsStatic)
            .All(f => named.Contains(f.AssociatedSymbol?.Name ?? f.Name));
    }

    private static IEnumerable<SyntaxNode> Inner(SyntaxNode method)
    {
        SyntaxNode? body = method is MethodDeclarationSyntax declared
            ? (SyntaxNode?)declared.Body ?? declared.ExpressionBody
            : null;
        return body?.DescendantNodes() ?? [];
    }

    private static bool IsPlain(SyntaxNode node) => node switch
    {
        InvocationExpressionSyntax call => call.Expression.ToString() is var name
            && (name == "Equals" || name.EndsWith(".Equals", StringComparison.Ordinal)),
        BinaryExpressionSyntax binary => binary.Kind() is SyntaxKind.LogicalAndExpression or SyntaxKind.EqualsExpression
            or SyntaxKind.IsExpression,
        ReturnStatementSyntax or ExpressionStatementSyntax or ParenthesizedExpressionSyntax or ThisExpressionSyntax
            or MemberAccessExpressionSyntax or IsPatternExpressionSyntax or DeclarationPatternSyntax
            or SingleVariableDesignationSyntax or NameSyntax or PredefinedTypeSyntax or CastExpressionSyntax
            or NullableTypeSyntax => true,
        _ => false,
    };
}
