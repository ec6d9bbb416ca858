using System.Collections.Immutable;
using Faster.Generators.Parsing;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Faster.Generators.Diagnostics;

/// <summary>
/// Finds calls whose <c>Status</c> nobody looks at: the operation may still be pending, and its result lost. An awaited
/// status is never pending and may be ignored; so may one that is discarded in so many words.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class IgnoredStatusAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Descriptors.IgnoredStatus];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterOperationAction(Analyze, OperationKind.ExpressionStatement);
    }

    private static void Analyze(OperationAnalysisContext context)
    {
        IOperation ignored = ((IExpressionStatementOperation)context.Operation).Operation;
        if (ignored is IConditionalAccessOperation { WhenNotNull: var whenNotNull }) ignored = whenNotNull;
        if (ignored is not IInvocationOperation { TargetMethod: { } method } || !method.ReturnType.IsStatus()) return;
        context.ReportDiagnostic(Diagnostic.Create(
            Descriptors.IgnoredStatus, ignored.Syntax.GetLocation(), method.Name));
    }
}
