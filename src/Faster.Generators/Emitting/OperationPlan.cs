using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// The input of a read or read-modify-write, or the new value of an upsert, in all the places it passes.
/// </summary>
/// <param name="Name">The session's parameter: <c>input</c> or <c>value</c>.</param>
/// <param name="Type">The session's parameter type.</param>
/// <param name="Field">The operation's field.</param>
/// <param name="FieldType">The field's type.</param>
/// <param name="BatchType">The item type of a batch, or null where there is no batched form.</param>
/// <param name="Kind">Whether the operand is a span that must be pinned.</param>
/// <param name="IsEncoded">Whether the session turns the operand into bytes.</param>
internal sealed record OperandPlan(
    string Name, string Type, string Field, string FieldType, string? BatchType, InputKind Kind, bool IsEncoded)
{
    public bool IsSpan => Kind != InputKind.Typed;

    /// <summary>The operand's bytes, for the call that pins them.</summary>
    public string AsBytes => Kind switch
    {
        InputKind.Bytes => Name,
        InputKind.Chars => $"{Names.Marshal}.AsBytes({Name})",
        _ => "default",
    };

    /// <summary>The operand as a user function takes it, inside the operation.</summary>
    public string AsArgument => Kind switch
    {
        InputKind.Bytes => $"{Field}.Span",
        InputKind.Chars => $"{Names.Marshal}.Cast<byte, char>({Field}.Span)",
        _ => Field,
    };
}

/// <summary>One of the four operations: what its struct holds and what its three forms look like.</summary>
internal sealed class OperationPlan
{
    private OperationPlan(StoreModel store, string name, OperandPlan? operand, params FunctionKind[] kinds)
    {
        Store = store;
        Name = name;
        Operand = operand;
        Merger = name is "Read" or "Rmw" ? store.Merger : null;
        UsesKey = store.KeyIsUsedBy(kinds) || Merger?.Takes(Role.Key) == true;
        UsesUserFunction = kinds.Any(kind => store[kind] is not null);
    }

    public StoreModel Store { get; }

    /// <summary>Read, Upsert, Rmw or Delete.</summary>
    public string Name { get; }

    public OperandPlan? Operand { get; }

    /// <summary>What merges partial values on the operation's way, or null.</summary>
    public FunctionModel? Merger { get; }

    /// <summary>Whether a user function takes the key, so that the operation holds it.</summary>
    public bool UsesKey { get; }

    /// <summary>
    /// Whether a user function or a codec runs within a hit, or a span is copied: anything that may throw.
    /// </summary>
    public bool RunsUserCode => Store.Value.Kind != DataKind.Unmanaged || UsesUserFunction;

    public bool IsRead => Name == "Read";

    private bool UsesUserFunction { get; }

    public string Struct => Name + "Operation";

    public string Batch => Name + "Batch";

    /// <summary>What an awaiting caller gets.</summary>
    public string Result => IsRead ? Names.Read(Store.Output.Type) : Names.Status;

    /// <summary>Whether the caller's spans must be pinned for the call.</summary>
    public bool Borrows => Operand is { IsSpan: true } || (UsesKey && Store.Key.Kind == DataKind.Bytes);

    /// <summary>Whether the default reader copies bytes, so that it can also copy them to a writer.</summary>
    public bool HasDestination => IsRead && Store.Value.Kind == DataKind.Bytes
        && Store[FunctionKind.SingleReader] is null && Store[FunctionKind.ConcurrentReader] is null;

    /// <summary>Whether a new value is copied as it is, so that it can be a sequence of any length.</summary>
    public bool TakesSequence => Name == "Upsert" && Store.Value.Kind == DataKind.Bytes
        && Store[FunctionKind.SingleWriter] is null && Store[FunctionKind.ConcurrentWriter] is null;

    public static IEnumerable<OperationPlan> Of(StoreModel store)
    {
        yield return new(store, "Read", Input(store.ReadInput),
            FunctionKind.SingleReader, FunctionKind.ConcurrentReader);
        yield return new(store, "Upsert", NewValue(store.Value),
            store.Value.IsEncoded && store[FunctionKind.SingleWriter] is { IsRaw: false }
                ? [FunctionKind.ConcurrentWriter]
                : [FunctionKind.SingleWriter, FunctionKind.ConcurrentWriter]);
        if (store.HasRmw)
        {
            yield return new(store, "Rmw", Input(store.UpdateInput),
                FunctionKind.InitialUpdater, FunctionKind.InPlaceUpdater, FunctionKind.CopyUpdater);
        }

        yield return new(store, "Delete", null);
    }

    private static OperandPlan? Input(OperandModel? input) => input?.Kind switch
    {
        null => null,
        InputKind.Typed => new("input", input.Type, "Input", input.Type, input.Type, InputKind.Typed, false),
        InputKind.Bytes => new("input", input.Type, "Input", Names.Pinned, Names.Memory, InputKind.Bytes, false),
        _ => new("input", input.Type, "Input", Names.Pinned, null, InputKind.Chars, false),
    };

    private static OperandPlan NewValue(DataModel value) => value.Kind switch
    {
        DataKind.Unmanaged => new("value", value.Type, "Value", value.Type, value.Type, InputKind.Typed, false),
        DataKind.Bytes => new("value", Names.Bytes, "Value", Names.Pinned, Names.Memory, InputKind.Bytes, false),
        _ => new("value", value.Type, "Value", Names.Pinned, value.Type, InputKind.Typed, true),
    };
}
