using System.Collections.Immutable;
using Faster.Generators.Parsing;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Faster.Generators.Diagnostics;

/// <summary>
/// Reports warnings about a class marked <c>[Store]</c>, using the same parser as the generator, which reports the
/// errors. Marks those errors that have a code fix, because editors offer none for a generator's own diagnostics.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class StoreAnalyzer : DiagnosticAnalyzer
{
    /// <summary>The property of a mark that has the id of the error.</summary>
    public const string ErrorProperty = "Error";

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
    [
        Descriptors.KeyPadding, Descriptors.KeyFloat, Descriptors.NotInStore, Descriptors.KeyEquality,
        Descriptors.LargeStruct, Descriptors.Fixable,
    ];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSymbolAction(Analyze, SymbolKind.NamedType);
    }

    private static void Analyze(SymbolAnalysisContext context)
    {
        var type = (INamedTypeSymbol)context.Symbol;
        if (type.FindAttribute(KnownTypes.StoreAttribute) is { } attribute)
        {
            _ = StoreParser.Parse(type, attribute, found => Report(context, found), context.CancellationToken);
            return;
        }

        // An extension block has no name, and its functions are members of the class that it is in.
        if (!type.CanBeReferencedByName) return;
        foreach (IMethodSymbol method in type.GetMembers().OfType<IMethodSymbol>())
        {
            IEnumerable<string> marks = FunctionAttributes.KindsOf(method).Select(static kind => $"{kind}");
            if (method.FindAttribute(TransactionShape.Attribute) is not null) marks = marks.Append("Transaction");
            foreach (string mark in marks)
            {
                context.ReportDiagnostic(Diagnostic.Create(
                    Descriptors.NotInStore, KnownTypes.LocationOf(method), method.Name, mark, type.Name));
            }
        }
    }

    private static void Report(SymbolAnalysisContext context, Diagnostic found)
    {
        if (found.DefaultSeverity != DiagnosticSeverity.Error)
        {
            context.ReportDiagnostic(found);
        }
        else if (found.Descriptor.CustomTags.Contains(Descriptors.HasCodeFix))
        {
            context.ReportDiagnostic(Diagnostic.Create(
                Descriptors.Fixable, found.Location, found.Properties.SetItem(ErrorProperty, found.Id),
                found.GetMessage(null)));
        }
    }
}
