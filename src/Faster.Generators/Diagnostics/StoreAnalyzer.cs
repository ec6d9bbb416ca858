using System.Collections.Immutable;
using Faster.Generators.Models;
using Faster.Generators.Parsing;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Faster.Generators.Diagnostics;

/// <summary>Reports what is wrong with a class marked <c>[Store]</c>, using the same parser as the generator.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class StoreAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
    [
        Descriptors.NotStaticPartial, Descriptors.BadNesting, Descriptors.UnknownType, Descriptors.InconsistentType,
        Descriptors.WrongSignature, Descriptors.MissingFunction, Descriptors.DuplicateFunction,
        Descriptors.NoSerializer, Descriptors.KeyPadding, Descriptors.KeyFloat, Descriptors.BadFunction,
        Descriptors.NameTaken, Descriptors.UnusableType, Descriptors.NotInStore,
        Descriptors.MisleadingName, Descriptors.KeyEquality, Descriptors.LargeStruct,
        Descriptors.OldLanguage, Descriptors.NameHidden, Descriptors.NotOffered, Descriptors.NotAnEngine,
        Descriptors.MissingOutput, Descriptors.MergedOutput,
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
            _ = StoreParser.Parse(type, attribute, context.ReportDiagnostic, context.CancellationToken);
            return;
        }

        foreach (IMethodSymbol method in type.GetMembers().OfType<IMethodSymbol>())
        {
            foreach (FunctionKind kind in FunctionAttributes.KindsOf(method))
            {
                context.ReportDiagnostic(Diagnostic.Create(
                    Descriptors.NotInStore, KnownTypes.LocationOf(method), method.Name, kind, type.Name));
            }
        }
    }
}
