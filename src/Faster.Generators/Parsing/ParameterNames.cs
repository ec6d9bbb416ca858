using System.Collections.Immutable;
using Faster.Generators.Diagnostics;
using Faster.Generators.Models;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Parsing;

/// <summary>
/// Rejects parameters whose names contradict their roles, and those that neither type nor name distinguishes. A
/// function that omits or swaps one of several parameters of the same type would compile, and update with the wrong
/// operand.
/// </summary>
/// <remarks>
/// If types differ, they have already determined the roles. If they do not, a name indicates a role if it is one of the
/// fixed words, or the name that another function gives to its key or input.
/// </remarks>
internal sealed class ParameterNames(
    IReadOnlyList<FunctionShape> shapes, TypeInference types, Action<Diagnostic> report)
{
    /// <summary>The property of the diagnostic that has the order of the parameters, for the code fix.</summary>
    public const string OrderProperty = "Order";

    /// <summary>The property of the diagnostic that has the type of a missing old value, for the code fix.</summary>
    public const string OldProperty = "Old";

    private static readonly string[] OldWords = ["old", "oldValue", "older", "previous", "previousValue", "prev"];
    private static readonly string[] NewWords = ["new", "newValue", "newer"];
    private static readonly string[] OldStems =
        ["old", "prev", "previous", "current", "existing", "stored", "before", "original", "last", "source", "was"];

    /// <summary>The role that a parameter's name indicates.</summary>
    private enum Says
    {
        Nothing,
        Key,
        Input,
        Old,
        New,
    }

    /// <summary>Checks all functions; reports at most one parameter per function.</summary>
    public void Check()
    {
        var refused = new List<FunctionShape>();
        foreach (FunctionShape shape in shapes.Where(s => s.Kind != FunctionKind.CompletionCallback))
        {
            IParameterSymbol? wrong = shape.Method.Parameters.FirstOrDefault(p => Contradicts(shape, p, refused));
            IParameterSymbol? unclear = wrong is null ? Unclear(shape) : null;
            if ((wrong ?? unclear) is not { } parameter) continue;
            refused.Add(shape);
            string place = Text(shape, RoleOf(shape, parameter));
            string why = wrong is not null
                ? $"is named like {Text(SaysOf(shape, wrong, refused))}, but is in the position of {place}"
                : $"may be {place} or {Text(shape, OtherRole(shape, parameter))}: they have the same type, and no "
                    + "name distinguishes them";
            report(Diagnostic.Create(
                Descriptors.MisleadingName, KnownTypes.LocationOf(parameter), Remedy(shape, wrong, refused),
                Signatures.Escape(parameter.Name), why, shape.Kind, Expected(shape, unclear is not null, refused)));
        }
    }

    private Says SaysOf(FunctionShape shape, IParameterSymbol parameter, IReadOnlyList<FunctionShape> refused)
    {
        string name = parameter.Name;
        if (Is(name, "key")) return Says.Key;
        if (Is(name, "input")) return Says.Input;
        if (OldWords.Any(w => Is(name, w))) return Says.Old;
        if (NewWords.Any(w => Is(name, w))) return Says.New;
        // If two functions swap key and input, the first is taken as correct; a rejected function indicates nothing.
        bool comesFirst = shape.Prefix.Count == 2 && RoleOf(shape, parameter) is Role.Key or Role.Input;
        IEnumerable<FunctionShape> others = (comesFirst ? shapes.TakeWhile(s => s != shape) : shapes)
            .Where(s => s != shape && !refused.Contains(s));
        foreach (FunctionShape other in others.OrderByDescending(s => s.Prefix.Count))
        {
            if (other.Key is { } key && Is(key.Name, name)) return Says.Key;
            if (other.Input is { } input && other.IsReader == shape.IsReader && Is(input.Name, name)) return Says.Input;
        }

        return Says.Nothing;
    }

    private bool Contradicts(FunctionShape shape, IParameterSymbol parameter, IReadOnlyList<FunctionShape> refused)
    {
        Says says = SaysOf(shape, parameter, refused);
        if (says == Says.Nothing || !HasTypeOf(says, shape, parameter)) return false;
        return RoleOf(shape, parameter) switch
        {
            Role.Key => says == Says.Input || (says is Says.Old or Says.New && shape.Source is not null),
            Role.Input => says is Says.Key or Says.Old,
            Role.Source when shape.IsUpdater => says is Says.Key or Says.Input or Says.New,
            Role.Source when shape.IsReader => says is Says.Key or Says.Input,
            Role.Source when shape.IsWriter => says is Says.Key or Says.Old,
            Role.Source => says is Says.Key or Says.New,
            Role.Newer => says is Says.Old,
            Role.Target when shape.Kind is FunctionKind.CopyUpdater => says != Says.New,
            Role.Target when shape.Kind is FunctionKind.Merger => says is Says.Key or Says.Old,
            Role.Target when shape.IsUpdater => says is Says.Key or Says.Input,
            _ => false,
        };
    }

    // If types differ, the name does not matter. A role whose type no function determines may have any type.
    private bool HasTypeOf(Says says, FunctionShape shape, IParameterSymbol parameter) => says switch
    {
        Says.Key => IsKeyType(parameter.Type),
        Says.Input => Same(shape.IsReader ? types.ReadInput : types.UpdateInput, parameter.Type),
        _ => Same((shape.Source ?? shape.Target)?.Type, parameter.Type) || Same(types.Value, parameter.Type),
    };

    private IParameterSymbol? Unclear(FunctionShape shape)
    {
        if (shape.Kind == FunctionKind.CopyUpdater && !IsValueName(shape, shape.Source!))
        {
            IParameterSymbol old = shape.Source!;
            if (shape.Input is { } input)
            {
                bool isSettled = !Same(input.Type, old.Type) || SaysOf(shape, input, []) == Says.Input;
                return isSettled ? null : input;
            }

            bool mayBeInput = types.UpdateInput is { } known && Same(known, old.Type);
            bool mayBeKey = shape.Key is null && IsKeyType(old.Type);
            return mayBeInput || mayBeKey ? old : null;
        }

        // Neither name nor type determines this one. The error would be visible in that the session then takes an
        // input, unless it takes one anyway.
        if (shape.TakesNoInput || shape.Prefix.Count != 1 || shape.Input is not { } only || !IsKeyType(only.Type))
            return null;
        FunctionShape[] others = [.. shapes.Where(s => s != shape)];
        bool isTold = SaysOf(shape, only, []) == Says.Input;
        return !isTold && others.Any(s => s.Key is not null) ? only : null;
    }

    private bool IsValueName(FunctionShape shape, IParameterSymbol parameter)
    {
        string name = parameter.Name;
        return Is(name, "value")
            || OldStems.Any(stem => name.StartsWith(stem, StringComparison.OrdinalIgnoreCase)
                && (name.Length == stem.Length || char.IsUpper(name[stem.Length]) || name[stem.Length] == '_'))
            || shapes.Any(s => s != shape && !s.IsWriter
                && new[] { s.Source, s.Target }.Any(p => p is not null && Is(p.Name, name)));
    }

    // Returns the data for a code fix: the order of swapped parameters, or the type of a missing old value.
    private ImmutableDictionary<string, string?> Remedy(
        FunctionShape shape, IParameterSymbol? wrong, IReadOnlyList<FunctionShape> refused)
    {
        ImmutableDictionary<string, string?> none = ImmutableDictionary<string, string?>.Empty;
        if (wrong is null) return none;
        (Role Role, int Index)[] meant = [.. shape.Method.Parameters.Select((p, i) => (
            Contradicts(shape, p, refused) ? Meant(shape, SaysOf(shape, p, refused)) ?? Role.Status : RoleOf(shape, p),
            i))];
        if (meant.Select(m => m.Role).Distinct().Count() == meant.Length && meant.All(m => m.Role != Role.Status)
            && meant.Select(m => m.Role).OrderBy(r => r).SequenceEqual(
                shape.Method.Parameters.Select(p => RoleOf(shape, p)).OrderBy(r => r)))
        {
            return none.Add(OrderProperty, string.Join(",", meant.OrderBy(m => m.Role).Select(m => m.Index)));
        }

        bool isForgotten = shape is { Kind: FunctionKind.CopyUpdater, IsRaw: false, Input: null }
            && SymbolEqualityComparer.Default.Equals(wrong, shape.Source)
            && SaysOf(shape, wrong, refused) == Says.Input;
        return isForgotten ? none.Add(OldProperty, Text(shape.Source!.Type)) : none;
    }

    private string Expected(FunctionShape shape, bool isUnclear, IReadOnlyList<FunctionShape> refused)
    {
        string[] names = Signatures.TailNames(shape.Kind, shape.IsRaw);
        var taken = new Dictionary<Role, string>();
        foreach (IParameterSymbol parameter in shape.Method.Parameters)
        {
            Says says = SaysOf(shape, parameter, refused);
            Role role = RoleOf(shape, parameter);
            bool isWrong = Contradicts(shape, parameter, refused);
            bool isOpen = isUnclear && says == Says.Nothing && role is Role.Input or Role.Source
                && !IsValueName(shape, parameter);
            if (isWrong) role = Meant(shape, says) ?? role;
            if (isOpen || (isWrong && Meant(shape, says) is null)) continue;
            taken[role] = Signatures.Escape(parameter.Name);
        }

        var parameters = new List<string>();
        bool takesKey = taken.ContainsKey(Role.Key) || shape.Key is not null || (isUnclear && shape.Source is null);
        ITypeSymbol key = shape.Key?.Type ?? types.Key!;
        if (takesKey) parameters.Add($"{Text(key)} {Name(Role.Key, KeyName(shape) ?? "key")}");
        bool takesInput = taken.ContainsKey(Role.Input) || shape.Input is not null
            || (isUnclear && types.UpdateInput is not null);
        ITypeSymbol? input = (shape.IsReader ? types.ReadInput : types.UpdateInput) ?? shape.Input?.Type;
        if (takesInput && input is not null)
            parameters.Add($"{Text(input)} {Name(Role.Input, InputName(shape) ?? "input")}");
        string[] own = [.. names];
        own[own.Length - 1] = Name(shape.IsReader ? Role.Output : Role.Target, own[own.Length - 1]);
        if (own.Length > 1) own[0] = Name(Role.Source, own[0]);
        if (own.Distinct().Count() == own.Length) names = own;
        string output = shape.Output is { } o ? Text(o.Type) : "";
        string value = Text((shape.Target is { } t && !shape.IsRaw ? t.Type : shape.Source?.Type) ?? types.Value!);
        string[] tail = Signatures.Tail(shape.Kind, shape.IsRaw, value, output, names);
        string[] last = shape is { IsUpdater: true, Output: { } updated } ? [Signatures.Show(updated)] : [];
        return Signatures.Of(shape.Kind, shape.Method, shape.IsRaw, parameters.Concat(tail).Concat(last));

        string Name(Role role, string usual) => taken.TryGetValue(role, out string? name) ? name : usual;
    }

    // Returns the role that a parameter with a contradicting name was meant to have.
    private static Role? Meant(FunctionShape shape, Says says) => says switch
    {
        Says.Key => Role.Key,
        Says.Input => shape.TakesNoInput ? null : Role.Input,
        Says.Old => shape.Kind is FunctionKind.CopyUpdater or FunctionKind.Merger ? Role.Source : null,
        _ => shape.IsWriter ? Role.Source
            : shape.Kind is FunctionKind.CopyUpdater or FunctionKind.Merger ? Role.Target : null,
    };

    private string? KeyName(FunctionShape shape) =>
        shapes.FirstOrDefault(s => s != shape && s.Key is not null)?.Key!.Name;

    private string? InputName(FunctionShape shape) => shapes.FirstOrDefault(
        s => s != shape && s.Input is not null && s.IsReader == shape.IsReader)?.Input!.Name;

    private static Role OtherRole(FunctionShape shape, IParameterSymbol parameter) =>
        RoleOf(shape, parameter) == Role.Source ? Role.Input
        : shape.Kind == FunctionKind.CopyUpdater ? Role.Source : Role.Key;

    private static Role RoleOf(FunctionShape shape, IParameterSymbol parameter) => StoreParser.RoleOf(shape, parameter);

    private bool IsKeyType(ITypeSymbol type) => types.Key is { } key && (Same(key, type)
        || (TypeClassifier.KindOf(key) is DataKind.Bytes or DataKind.Text
            && TypeClassifier.KindOf(key) == TypeClassifier.KindOf(type)));

    private static bool Same(ITypeSymbol? one, ITypeSymbol other) =>
        one is null || SymbolEqualityComparer.Default.Equals(one, other);

    private static bool Is(string name, string other) => string.Equals(name, other, StringComparison.OrdinalIgnoreCase);

    private static string Text(ITypeSymbol type) => Signatures.Name(type);

    private static string Text(Says says) => says switch
    {
        Says.Key => "the key",
        Says.Input => "the input",
        Says.Old => "the old value",
        _ => "the new value",
    };

    private static string Text(FunctionShape shape, Role role) => role switch
    {
        Role.Key => "the key",
        Role.Input => "the input",
        Role.Output => "the output",
        Role.Source when shape.Kind == FunctionKind.CopyUpdater => "the old value",
        Role.Source when shape.IsWriter => "the new value",
        Role.Source when shape.Kind == FunctionKind.Merger => "the older value",
        Role.Newer => "the newer value",
        Role.Target when shape.Kind == FunctionKind.Merger => "the newer value",
        Role.Target => "the value that is set",
        _ => "the value",
    };
}
