using System.Collections.Immutable;
using Faster.Generators.Parsing;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Faster.Generators.Diagnostics;

/// <summary>
/// Finds calls whose result is ignored. If a <c>Status</c> is ignored, the operation may still be pending and its
/// result is lost; an awaited status is never pending and may be ignored. If it is ignored how a transaction ended that
/// may abort, nothing may have changed. If a task of a store or session is dropped, its errors are lost and calls of
/// the session may overlap. Explicit discards are not reported.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class IgnoredStatusAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        [Descriptors.IgnoredStatus, Descriptors.DroppedTask, Descriptors.IgnoredTransaction];

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
        if (ignored is IAwaitOperation { Type: { } awaited, Operation: var task } && IsOfTransaction(awaited))
        {
            ignored = CallIn(task);
            if (ignored is IInvocationOperation { TargetMethod: { } called } && MayAbort(called))
                Report(context, Descriptors.IgnoredTransaction, ignored, called);
            return;
        }

        if (ignored is not IInvocationOperation { TargetMethod: { } method }) return;
        DiagnosticDescriptor? found = method.ReturnType.IsStatus() ? Descriptors.IgnoredStatus
            : IsOfTransaction(method.ReturnType) && MayAbort(method) ? Descriptors.IgnoredTransaction
            : IsTask(method.ReturnType) && IsOurs(method.ContainingType) && !IsInAsync(context.Operation, context)
                ? Descriptors.DroppedTask
                : null;
        if (found is not null) Report(context, found, ignored, method);
    }

    private static void Report(
        OperationAnalysisContext context, DiagnosticDescriptor found, IOperation ignored, IMethodSymbol method) =>
        context.ReportDiagnostic(Diagnostic.Create(found, ignored.Syntax.GetLocation(), method.Name));

    // The call whose task is awaited, perhaps by ConfigureAwait.
    private static IOperation CallIn(IOperation awaited) =>
        awaited is IInvocationOperation { TargetMethod.Name: "ConfigureAwait", Instance: { } task } ? task : awaited;

    private static bool IsOfTransaction(ITypeSymbol type) => type.Is("Faster.TransactionStatus")
        || (type as INamedTypeSymbol)?.Is("Faster.TransactionResult", 1) == true;

    // A method that returns void never aborts. It is in the class around the session.
    private static bool MayAbort(IMethodSymbol method) => method.ContainingType?.ContainingType is not { } store
        || !store.GetMembers().OfType<IMethodSymbol>().Any(m => m.ReturnsVoid
            && (m.Name == method.Name || m.Name + "Async" == method.Name)
            && m.FindAttribute(TransactionShape.Attribute) is not null);

    private static bool IsTask(ITypeSymbol type) => type.Name is "Task" or "ValueTask"
        && type.ContainingNamespace.ToDisplayString() == "System.Threading.Tasks";

    private static bool IsOurs(INamedTypeSymbol type) =>
        StoreFrame.IsEmitted(type) || type.ContainingAssembly.Name == "Faster.Stores";

    // There the compiler reports it (CS4014).
    private static bool IsInAsync(IOperation operation, OperationAnalysisContext context)
    {
        for (IOperation? outer = operation.Parent; outer is not null; outer = outer.Parent)
        {
            if (outer is IAnonymousFunctionOperation lambda) return lambda.Symbol.IsAsync;
            if (outer is ILocalFunctionOperation local) return local.Symbol.IsAsync;
        }

        return context.ContainingSymbol is IMethodSymbol { IsAsync: true };
    }
}
