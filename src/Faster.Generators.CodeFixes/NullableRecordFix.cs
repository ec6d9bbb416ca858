using System.Composition;
using Faster.Generators.Parsing;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.CodeFixes;

/// <summary>FAS026: lets the record of a transaction be null, which means that it is absent.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(NullableRecordFix)), Shared]
public sealed class NullableRecordFix : NodeFix<ParameterSyntax>
{
    private const string Title = "Let the record be absent";

    /// <summary>Creates the fix.</summary>
    public NullableRecordFix()
        : base("FAS026", isError: true)
    {
    }

    private protected override (string Title, SyntaxNode Root)? Fix(
        SyntaxNode root, ParameterSyntax node, Diagnostic diagnostic)
    {
        if (!diagnostic.Properties.ContainsKey(TransactionParser.NullableProperty) || node.Type is not { } type)
            return null;
        // In a set, the record is the argument of the parameter's type.
        TypeSyntax record = type.DescendantNodesAndSelf().OfType<GenericNameSyntax>()
            .FirstOrDefault(static name => name.Identifier.ValueText is "Records" or "ReadOnlyRecords")
            ?.TypeArgumentList.Arguments[0] ?? type;
        NullableTypeSyntax nullable = SyntaxFactory.NullableType(record.WithoutTrivia()).WithTriviaFrom(record);
        return (Title, root.ReplaceNode(record, nullable));
    }
}
