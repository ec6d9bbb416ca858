using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.CodeFixes;

/// <summary>FAS101: waits for an operation that went pending.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(CheckStatusFix)), Shared]
public sealed class CheckStatusFix : CodeFixProvider
{
    private const string Title = "Wait when the operation is pending";

    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = ["FAS101"];

    /// <inheritdoc/>
    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        SyntaxNode? root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        SyntaxNode? found = root?.FindNode(context.Span, getInnermostNodeForTie: true);
        var statement = found?.FirstAncestorOrSelf<ExpressionStatementSyntax>();
        // Only where the session can be named again without being computed again.
        if (statement?.Expression is not InvocationExpressionSyntax
            {
                Expression: MemberAccessExpressionSyntax
                {
                    Expression: IdentifierNameSyntax or ThisExpressionSyntax,
                } call,
            })
        {
            return;
        }

        StatementSyntax mended = SyntaxFactory.ParseStatement(
            $"if ({statement.Expression.WithoutTrivia()} == global::Faster.Status.Pending) "
            + $"{call.Expression}.CompletePending(wait: true);").WithTriviaFrom(statement);
        context.RegisterCodeFix(
            CodeAction.Create(Title, _ => Task.FromResult(
                context.Document.WithSyntaxRoot(root!.ReplaceNode(statement, mended))), Title),
            context.Diagnostics);
    }
}
