using System.Collections.Immutable;
using Faster.Generators.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;

namespace Faster.Generators.CodeFixes;

/// <summary>
/// Fixes one kind of diagnostic by replacing the syntax tree that contains its node. An error of the generator is fixed
/// where the analyzer has marked it.
/// </summary>
/// <typeparam name="TNode">The kind of node.</typeparam>
public abstract class NodeFix<TNode> : CodeFixProvider
    where TNode : SyntaxNode
{
    private readonly string _id;

    private protected NodeFix(string id, bool isError)
    {
        _id = id;
        FixableDiagnosticIds = [isError ? Descriptors.Fixable.Id : id];
    }

    /// <inheritdoc/>
    public sealed override ImmutableArray<string> FixableDiagnosticIds { get; }

    /// <inheritdoc/>
    public override FixAllProvider? GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public sealed override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        SyntaxNode? root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        var node = root?.FindNode(context.Span, getInnermostNodeForTie: true).FirstAncestorOrSelf<TNode>();
        if (node is null) return;
        foreach (Diagnostic diagnostic in context.Diagnostics)
        {
            diagnostic.Properties.TryGetValue(StoreAnalyzer.ErrorProperty, out string? error);
            if ((error ?? diagnostic.Id) != _id) continue;
            if (Fix(root!, node, diagnostic) is not var (title, @fixed)) continue;
            context.RegisterCodeFix(
                CodeAction.Create(title, _ => Task.FromResult(context.Document.WithSyntaxRoot(@fixed)), title),
                diagnostic);
        }
    }

    /// <summary>Returns the fix's title and the fixed tree; null if the diagnostic cannot be fixed here.</summary>
    private protected abstract (string Title, SyntaxNode Root)? Fix(SyntaxNode root, TNode node, Diagnostic diagnostic);
}
