using Faster.Generators.Diagnostics;
using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>Reads a completion callback's parameters: by type, and by name if two have the same type.</summary>
internal readonly struct CallbackParameters
{
    private CallbackParameters(EquatableArray<ParameterModel> parameters, ITypeSymbol? context)
    {
        Parameters = parameters;
        Context = context;
    }

    public EquatableArray<ParameterModel> Parameters { get; }

    /// <summary>The context's type, or null if the callback takes none.</summary>
    public ITypeSymbol? Context { get; }

    /// <summary>Reads the parameters.</summary>
    /// <param name="method">The callback, or null.</param>
    /// <param name="output">The output of reads.</param>
    /// <param name="updateOutput">The output of read-modify-writes, or null.</param>
    /// <param name="report">Receives the diagnostics.</param>
    public static CallbackParameters Read(
        IMethodSymbol? method, OperandModel output, OperandModel? updateOutput, Action<Diagnostic> report)
    {
        if (method is null) return default;
        var roles = new List<ParameterModel>();
        ITypeSymbol? context = null;
        foreach (IParameterSymbol parameter in method.Parameters)
        {
            Role role = RoleOf(parameter, output, method);
            bool isUpdateOutput = role == Role.Context && parameter.Name != "context"
                && updateOutput is not null && IsOutput(parameter, updateOutput)
                && !roles.Any(static r => r.Role == Role.UpdateOutput);
            if (isUpdateOutput) role = Role.UpdateOutput;
            if (role == Role.Context) context = parameter.Type;
            roles.Add(Signatures.Model(parameter, role));
        }

        bool isSound = method.ReturnsVoid && roles.Select(r => r.Role).Distinct().Count() == roles.Count
            && !method.Parameters.Any(p => p.RefKind is RefKind.Ref or RefKind.Out || p.Type.IsRefLikeType);
        if (!isSound)
        {
            const FunctionKind kind = FunctionKind.CompletionCallback;
            string why = !method.ReturnsVoid ? "it must return void"
                : "it may take status, output, error and one context by value, each at most once";
            report(Diagnostic.Create(Descriptors.WrongSignature, KnownTypes.LocationOf(method), method.Name, kind, why,
                Signatures.Nearest(kind, method, null)));
        }

        return new CallbackParameters(new EquatableArray<ParameterModel>(roles), context);
    }

    private static Role RoleOf(IParameterSymbol parameter, OperandModel output, IMethodSymbol method)
    {
        if (parameter.Type.IsStatus()) return Role.Status;
        if (parameter.Type.IsException()) return Role.Error;
        if (!IsOutput(parameter, output) || parameter.Name == "context") return Role.Context;
        bool isAmbiguous = method.Parameters.Count(p => IsOutput(p, output)) > 1;
        return !isAmbiguous || parameter.Name == "output" || !method.Parameters.Any(p => p.Name == "output")
            ? Role.Output
            : Role.Context;
    }

    private static bool IsOutput(IParameterSymbol parameter, OperandModel output) =>
        parameter.Type.NameInCode().TrimEnd('?') == output.Type.TrimEnd('?');
}
