using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.CodeFixes;

/// <summary>FAS101: waits for an operation that went pending.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(CheckStatusFix)), Shared]
public sealed class CheckStatusFix : NodeFix<ExpressionStatementSyntax>
{
    private const string Title = "Wait if the operation is pending";

    /// <summary>Creates the fix.</summary>
    public CheckStatusFix()
        : base("FAS101", isError: false)
    {
    }

    private protected override (string Title, SyntaxNode Root)? Fix(
        SyntaxNode root, ExpressionStatementSyntax node, Diagnostic diagnostic)
    {
        // Only if the session's expression can be repeated without being evaluated again.
        if (node.Expression is not InvocationExpressionSyntax
            {
                Expression: MemberAccessExpressionSyntax
                {
                    Expression: IdentifierNameSyntax or ThisExpressionSyntax,
                } call,
            })
        {
            return null;
        }

        StatementSyntax waits = SyntaxFactory.ParseStatement(
            $"if ({node.Expression.WithoutTrivia()} == global::Faster.Status.Pending) "
            + $"{call.Expression}.CompletePending(wait: true);").WithTriviaFrom(node);
        return (Title, root.ReplaceNode(node, waits));
    }
}
