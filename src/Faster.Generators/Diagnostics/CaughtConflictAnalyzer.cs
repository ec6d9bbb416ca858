using System.Collections.Immutable;
using Faster.Generators.Parsing;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Faster.Generators.Diagnostics;

/// <summary>
/// Finds clauses in dynamic transactions that catch every exception, and so the one by which the store ends a run that
/// has met a conflict. A clause with a filter, or one that ends by throwing, is not reported.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class CaughtConflictAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Descriptors.CaughtConflict];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterOperationAction(Analyze, OperationKind.CatchClause);
    }

    private static void Analyze(OperationAnalysisContext context)
    {
        var clause = (ICatchClauseOperation)context.Operation;
        bool catchesAll = clause.ExceptionType.SpecialType == SpecialType.System_Object
            || clause.ExceptionType.IsException();
        if (!catchesAll || clause.Filter is not null || clause.Handler.Operations.LastOrDefault() is IThrowOperation
            || context.ContainingSymbol is not IMethodSymbol method
            || method.FindAttribute(TransactionShape.Attribute) is null) return;
        bool hasAccess = clause.Parent is ITryOperation { Body: var body } && body.Descendants().Any(
            static o => o is IParameterReferenceOperation { Type: INamedTypeSymbol type } && type.Is(
                TransactionShape.DynamicType, 2));
        if (!hasAccess) return;
        context.ReportDiagnostic(Diagnostic.Create(
            Descriptors.CaughtConflict, clause.Syntax.GetLocation(), method.Name));
    }
}
