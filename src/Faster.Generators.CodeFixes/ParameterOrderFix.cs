using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;

namespace Faster.Generators.CodeFixes;

/// <summary>
/// FAS015: puts swapped parameters in order, or adds the missing old value of a copy updater, from which its body then
/// starts.
/// </summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(ParameterOrderFix)), Shared]
public sealed class ParameterOrderFix : NodeFix<MethodDeclarationSyntax>
{
    private const string Order = "Put the parameters in order";
    private const string Old = "Add the old value";

    /// <summary>Creates the fix.</summary>
    public ParameterOrderFix()
        : base("FAS015", isError: true)
    {
    }

    private protected override (string Title, SyntaxNode Root)? Fix(
        SyntaxNode root, MethodDeclarationSyntax node, Diagnostic diagnostic)
    {
        if (diagnostic.Properties.TryGetValue("Order", out string? order) && order is not null)
            return (Order, root.ReplaceNode(node, Reordered(node, order)));
        if (diagnostic.Properties.TryGetValue("Old", out string? type) && type is not null
            && WithOld(node, type) is { } withOld)
        {
            return (Old, root.ReplaceNode(node, withOld));
        }

        return null;
    }

    private static MethodDeclarationSyntax Reordered(MethodDeclarationSyntax method, string order)
    {
        SeparatedSyntaxList<ParameterSyntax> all = method.ParameterList.Parameters;
        IEnumerable<ParameterSyntax> ordered = order.Split(',')
            .Select((from, to) => all[int.Parse(from, null)].WithTriviaFrom(all[to]));
        return method.WithParameterList(method.ParameterList.WithParameters(
            SyntaxFactory.SeparatedList(ordered, all.GetSeparators())));
    }

    // Without the old value, the body used its target as the old value.
    private static MethodDeclarationSyntax? WithOld(MethodDeclarationSyntax method, string type)
    {
        SeparatedSyntaxList<ParameterSyntax> all = method.ParameterList.Parameters;
        if (all.Any(p => p.Identifier.ValueText == "oldValue")) return null;
        ParameterSyntax old = SyntaxFactory.Parameter(SyntaxFactory.Identifier("oldValue"))
            .WithType(SyntaxFactory.ParseTypeName(type).WithTrailingTrivia(SyntaxFactory.Space))
            .WithTrailingTrivia(SyntaxFactory.Space);
        StatementSyntax begin = SyntaxFactory
            .ParseStatement($"{all[all.Count - 1].Identifier.Text} = oldValue;")
            .WithTrailingTrivia(SyntaxFactory.ElasticLineFeed);
        IEnumerable<StatementSyntax> rest = method.Body?.Statements ?? (method.ExpressionBody is { } body
            ? [SyntaxFactory.ExpressionStatement(body.Expression.WithoutTrivia())]
            : Enumerable.Empty<StatementSyntax>());
        return method
            .WithParameterList(method.ParameterList.WithParameters(
                all.Insert(all.Count - 1, old.WithoutTrivia().WithAdditionalAnnotations(Formatter.Annotation))))
            .WithExpressionBody(null)
            .WithSemicolonToken(default)
            .WithBody(SyntaxFactory.Block(new[] { begin }.Concat(rest)))
            .WithAdditionalAnnotations(Formatter.Annotation);
    }
}
