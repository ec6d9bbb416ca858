using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Faster.Generators.Parsing;

/// <summary>
/// Proves of a user function that it can't throw, so that a hit which runs it needs no guard: it computes with
/// numbers and calls nothing. What is not known to be harmless counts as throwing.
/// </summary>
/// <remarks>
/// Arithmetic throws where it is checked, and integers where they are divided; a static field may run a type's
/// initializer; members of references meet null. So none of these passes. A type with a static constructor runs it when
/// its first function is called, which may be this one.
/// </remarks>
internal static class NoThrowProof
{
    /// <summary>Returns whether a method's body shows that it can't throw.</summary>
    public static bool Holds(IMethodSymbol method, CancellationToken cancellationToken)
    {
        if (method.ContainingType.StaticConstructors.Any(static c => !c.IsImplicitlyDeclared)) return false;
        if (method.ContainingAssembly is not ISourceAssemblySymbol { Compilation: { } compilation }) return false;
        SyntaxReference[] declared = [.. method.DeclaringSyntaxReferences];
        if (declared.Length != 1
            || declared[0].GetSyntax(cancellationToken) is not MethodDeclarationSyntax syntax) return false;
        return compilation.GetSemanticModel(syntax.SyntaxTree).GetOperation(syntax, cancellationToken)
            is IMethodBodyOperation body && (body.BlockBody ?? body.ExpressionBody) is { } block && IsSafe(block);
    }

    private static bool IsSafe(IOperation operation) => operation switch
    {
        { ConstantValue.HasValue: true } => IsNumber(operation.Type),
        IBlockOperation or IExpressionStatementOperation or IEmptyOperation or IConditionalOperation
            or IVariableDeclarationGroupOperation or IVariableDeclarationOperation or IVariableDeclaratorOperation
            or IVariableInitializerOperation => AreSafe(operation),
        IReturnOperation { Kind: OperationKind.Return } => AreSafe(operation),
        ILocalReferenceOperation or IParameterReferenceOperation or IDiscardOperation or IDefaultValueOperation => true,
        IFieldReferenceOperation { Field.IsStatic: false, Instance.Type.IsValueType: true } => AreSafe(operation),
        ISimpleAssignmentOperation { IsRef: false } => AreSafe(operation),
        ICompoundAssignmentOperation { OperatorMethod: null, IsChecked: false } assignment =>
            IsNumber(assignment.Type) && IsTotal(assignment.OperatorKind, assignment.Type, assignment.Value)
                && AreSafe(operation),
        IIncrementOrDecrementOperation { OperatorMethod: null, IsChecked: false } => IsNumber(operation.Type)
            && AreSafe(operation),
        IBinaryOperation { OperatorMethod: null, IsChecked: false } binary =>
            IsNumber(binary.Type) && IsNumber(binary.LeftOperand.Type) && IsNumber(binary.RightOperand.Type)
                && IsTotal(binary.OperatorKind, binary.Type, binary.RightOperand) && AreSafe(operation),
        IUnaryOperation { OperatorMethod: null, IsChecked: false } => IsNumber(operation.Type) && AreSafe(operation),
        IConversionOperation { OperatorMethod: null, IsChecked: false } conversion =>
            IsNumber(conversion.Type) && IsNumber(conversion.Operand.Type) && AreSafe(operation),
        IInvocationOperation { TargetMethod: { } called } => IsHarmless(called) && AreSafe(operation),
        IArgumentOperation => AreSafe(operation),
        _ => false,
    };

    private static bool AreSafe(IOperation operation) => operation.ChildOperations.All(IsSafe);

    // Integers can't be divided by zero, nor the least by -1.
    private static bool IsTotal(BinaryOperatorKind kind, ITypeSymbol? type, IOperation divisor) =>
        kind is not (BinaryOperatorKind.Divide or BinaryOperatorKind.Remainder or BinaryOperatorKind.IntegerDivide)
        || type?.SpecialType is SpecialType.System_Single or SpecialType.System_Double
        || divisor.ConstantValue is { HasValue: true, Value: int and not (0 or -1) or long and not (0 or -1) };

    private static bool IsNumber(ITypeSymbol? type) => type?.SpecialType
        is SpecialType.System_Boolean or SpecialType.System_Char
        or SpecialType.System_SByte or SpecialType.System_Byte
        or SpecialType.System_Int16 or SpecialType.System_UInt16
        or SpecialType.System_Int32 or SpecialType.System_UInt32
        or SpecialType.System_Int64 or SpecialType.System_UInt64
        or SpecialType.System_Single or SpecialType.System_Double;

    // All arguments are numbers or references to them, which are never null here.
    private static bool IsHarmless(IMethodSymbol called) =>
        called.ContainingType.ToDisplayString() is var type && called.Parameters.All(static p => IsNumber(p.Type))
        && (type == "System.Math" ? called.Name is "Min" or "Max"
            : type == "System.Threading.Interlocked" && called.Name is "Add" or "Increment" or "Decrement" or "And"
                or "Or" or "Exchange" or "CompareExchange");
}
