using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;

namespace Faster.Generators.CodeFixes;

/// <summary>
/// FAS008: writes a <c>JsonSerializerContext</c> for a store's type and names it in <c>[Store]</c>; or adds the type to
/// the context that is already named, if that is in the same file.
/// </summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(AddSerializerFix)), Shared]
public sealed class AddSerializerFix : NodeFix<ClassDeclarationSyntax>
{
    private const string Title = "Serialize the type with a JsonSerializerContext";
    private const string Namespace = "global::System.Text.Json.Serialization";

    /// <summary>Creates the fix.</summary>
    public AddSerializerFix()
        : base("FAS008", isError: true)
    {
    }

    /// <inheritdoc/>
    public override FixAllProvider? GetFixAllProvider() => null; // one fix may write the context that another needs

    private protected override (string Title, SyntaxNode Root)? Fix(
        SyntaxNode root, ClassDeclarationSyntax node, Diagnostic diagnostic)
    {
        if (!diagnostic.Properties.TryGetValue("Type", out string? type) || type is null) return null;
        SyntaxNode? added = AddToNamed(root, node, type) ?? AddNew(root, node, type);
        return added is null ? null : (Title, added);
    }

    private static SyntaxNode? AddToNamed(SyntaxNode root, ClassDeclarationSyntax store, string type)
    {
        if (Named(store)?.Expression is not TypeOfExpressionSyntax named) return null;
        string name = named.Type.ToString().Split('.').Last();
        ClassDeclarationSyntax? serializer = root.DescendantNodes().OfType<ClassDeclarationSyntax>()
            .FirstOrDefault(c => c.Identifier.Text == name);
        return serializer is null ? null : root.ReplaceNode(serializer, Serializable(serializer, type));
    }

    private static SyntaxNode? AddNew(SyntaxNode root, ClassDeclarationSyntax store, string type)
    {
        AttributeSyntax? attribute = StoreAttribute(store);
        if (attribute is null || Named(store) is not null) return null;
        string name = store.Identifier.Text + "Json";
        AttributeArgumentSyntax argument = SyntaxFactory.AttributeArgument(
            SyntaxFactory.NameEquals("SerializerContext").WithTrailingTrivia(),
            null,
            SyntaxFactory.ParseExpression($"typeof({name})")).NormalizeWhitespace();
        ClassDeclarationSyntax named = store.ReplaceNode(attribute, attribute.AddArgumentListArguments(argument));
        var serializer = (ClassDeclarationSyntax)SyntaxFactory.ParseMemberDeclaration(
            $"[{Namespace}.JsonSerializable(typeof({type}))]\n"
            + $"internal sealed partial class {name} : {Namespace}.JsonSerializerContext;\n")!;
        // Next to the store, or to the outermost type that contains it.
        SyntaxNode outermost = store.AncestorsAndSelf().OfType<TypeDeclarationSyntax>().Last();
        SyntaxNode tracked = root.TrackNodes(store, outermost);
        tracked = tracked.ReplaceNode(tracked.GetCurrentNode(store)!, named.WithAdditionalAnnotations(Mark));
        SyntaxNode mark = tracked.GetAnnotatedNodes(Mark).Single();
        SyntaxNode anchor = mark.AncestorsAndSelf().OfType<TypeDeclarationSyntax>().Last();
        return tracked.InsertNodesAfter(anchor, [serializer
            .WithLeadingTrivia(SyntaxFactory.ElasticLineFeed, SyntaxFactory.ElasticLineFeed)
            .WithAdditionalAnnotations(Formatter.Annotation)]);
    }

    private static readonly SyntaxAnnotation Mark = new();

    private static ClassDeclarationSyntax Serializable(ClassDeclarationSyntax serializer, string type)
    {
        AttributeListSyntax list = SyntaxFactory.AttributeList(SyntaxFactory.SingletonSeparatedList(
            SyntaxFactory.Attribute(
                SyntaxFactory.ParseName($"{Namespace}.JsonSerializable"),
                SyntaxFactory.ParseAttributeArgumentList($"(typeof({type}))"))));
        SyntaxTriviaList leading = serializer.GetLeadingTrivia();
        return serializer.WithLeadingTrivia()
            .WithAttributeLists(serializer.WithLeadingTrivia().AttributeLists.Insert(
                0, list.WithTrailingTrivia(SyntaxFactory.LineFeed)))
            .WithLeadingTrivia(leading);
    }

    private static AttributeSyntax? StoreAttribute(ClassDeclarationSyntax store) => store.AttributeLists
        .SelectMany(l => l.Attributes)
        .FirstOrDefault(a => a.Name.ToString().Split('.').Last() is "Store" or "StoreAttribute");

    private static AttributeArgumentSyntax? Named(ClassDeclarationSyntax store) => StoreAttribute(store)
        ?.ArgumentList?.Arguments.FirstOrDefault(a => a.NameEquals?.Name.Identifier.Text == "SerializerContext");
}
