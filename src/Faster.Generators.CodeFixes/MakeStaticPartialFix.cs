using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.CodeFixes;

/// <summary>FAS001: makes a store's class <c>static partial</c>.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(MakeStaticPartialFix)), Shared]
public sealed class MakeStaticPartialFix : NodeFix<ClassDeclarationSyntax>
{
    private const string Title = "Make the class 'static partial'";

    /// <summary>Creates the fix.</summary>
    public MakeStaticPartialFix()
        : base("FAS001", isError: true)
    {
    }

    private protected override (string Title, SyntaxNode Root)? Fix(
        SyntaxNode root, ClassDeclarationSyntax node, Diagnostic diagnostic) =>
        (Title, root.ReplaceNode(node, StaticPartial(node)));

    private static ClassDeclarationSyntax StaticPartial(ClassDeclarationSyntax declaration)
    {
        // Removes the modifiers that a static class cannot have. Access modifiers stay first; "partial" comes last.
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
