using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.CodeFixes;

/// <summary>FAS001: makes a store's class <c>static partial</c>.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(MakeStaticPartialFix)), Shared]
public sealed class MakeStaticPartialFix : CodeFixProvider
{
    private const string Title = "Make the class 'static partial'";

    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = ["FAS001"];

    /// <inheritdoc/>
    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        SyntaxNode? root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        var declaration = root?.FindNode(context.Span).FirstAncestorOrSelf<ClassDeclarationSyntax>();
        if (declaration is null) return;
        context.RegisterCodeFix(
            CodeAction.Create(Title, _ => Task.FromResult(
                context.Document.WithSyntaxRoot(root!.ReplaceNode(declaration, Mend(declaration)))), Title),
            context.Diagnostics);
    }

    private static ClassDeclarationSyntax Mend(ClassDeclarationSyntax declaration)
    {
        // What a static class can't be goes; the access modifiers stay in front, «partial» comes last.
        SyntaxTriviaList leading = declaration.Modifiers.Count > 0
            ? declaration.Modifiers[0].LeadingTrivia
            : declaration.Keyword.LeadingTrivia;
        IEnumerable<SyntaxToken> kept = declaration.Modifiers.Where(m => !m.IsKind(SyntaxKind.SealedKeyword)
            && !m.IsKind(SyntaxKind.AbstractKeyword) && !m.IsKind(SyntaxKind.StaticKeyword)
            && !m.IsKind(SyntaxKind.PartialKeyword)).Select(m => m.WithLeadingTrivia());
        SyntaxToken[] modifiers = [.. kept, Word(SyntaxKind.StaticKeyword), Word(SyntaxKind.PartialKeyword)];
        modifiers[0] = modifiers[0].WithLeadingTrivia(leading);
        return declaration
            .WithKeyword(declaration.Keyword.WithLeadingTrivia())
            .WithModifiers(SyntaxFactory.TokenList(modifiers));
    }

    private static SyntaxToken Word(SyntaxKind kind) =>
        SyntaxFactory.Token(kind).WithTrailingTrivia(SyntaxFactory.Space);
}
