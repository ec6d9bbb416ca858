using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// The forms of the input of a read or read-modify-write, or of the new value of an upsert, in emitted code.
/// </summary>
/// <param name="Name">The name of the session method's parameter: <c>input</c> or <c>value</c>.</param>
/// <param name="Type">The type of the session method's parameter.</param>
/// <param name="Field">The name of the operation's field.</param>
/// <param name="FieldType">The type of the operation's field.</param>
/// <param name="BatchType">The item type of a batch, or null if there is no batched form.</param>
/// <param name="Kind">How the operand reaches a user function; a span must be pinned.</param>
/// <param name="IsEncoded">Whether the session encodes the operand.</param>
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

/// <summary>
/// The plan of one of the four operations: the members of its struct, and the shape of its three forms.
/// </summary>
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

    /// <summary>The operation's name: Read, Upsert, Rmw or Delete.</summary>
    public string Name { get; }

    public OperandPlan? Operand { get; }

    /// <summary>The function that merges deltas during the operation, or null.</summary>
    public FunctionModel? Merger { get; }

    /// <summary>Whether a user function takes the key, so that the operation must hold it.</summary>
    public bool UsesKey { get; }

    /// <summary>
    /// Whether code that may throw runs within a hit: a user function, a codec, or the copy of a span.
    /// </summary>
    public bool RunsUserCode =>
        Store.Value.Kind != DataKind.Unmanaged || (UsesUserFunction && Updater is not { CannotThrow: true });

    /// <summary>The user function that updates a record where it lies, or null.</summary>
    private FunctionModel? Updater => Name switch
    {
        "Rmw" => Store[FunctionKind.InPlaceUpdater] ?? Store[FunctionKind.CopyUpdater],
        "Upsert" => Store[FunctionKind.ConcurrentWriter] ?? Store[FunctionKind.SingleWriter],
        _ => null,
    };

    public bool IsRead => Name == "Read";

    private bool UsesUserFunction { get; }

    public string Struct => Name + "Operation";

    /// <summary>Returns the type of the operation in one of its forms: Status, Awaited or Batched.</summary>
    public string In(string form) => $"{Struct}<{Names.Contracts}.{form}Form<{Result}>>";

    public string Batch => Name + "Batch";

    public string StatusBatch => Name + "StatusBatch";

    public bool IsRmw => Name == "Rmw";

    /// <summary>The output that the operation returns beside its status, or null.</summary>
    public OperandModel? Output => IsRead ? Store.Output : IsRmw ? Store.UpdateOutput : null;

    /// <summary>The type of the result that a caller awaits.</summary>
    public string Result => Output is not { } output ? Names.Status
        : IsRead ? Names.Read(output.Type) : Names.Rmw(output.Type);

    /// <summary>The condition that a result with an output has a member for.</summary>
    public string Condition => $"status == {Names.Status}.{(IsRead ? "Ok" : "Created")}";

    /// <summary>Whether a batch may also fill a span of statuses: they say more than that all is done.</summary>
    public bool HasStatusBatch => IsRmw && Output is null && Operand is not { BatchType: null };

    /// <summary>Whether the caller's spans must be pinned for the call.</summary>
    public bool Borrows => Operand is { IsSpan: true } || (UsesKey && Store.Key.Kind == DataKind.Bytes);

    /// <summary>Whether the default reader copies bytes, so that it can also copy them to a writer.</summary>
    public bool HasDestination => IsRead && Store.Value.Kind == DataKind.Bytes
        && Store[FunctionKind.SingleReader] is null && Store[FunctionKind.ConcurrentReader] is null;

    /// <summary>Whether a new value is copied as it is, so that it can be a sequence of any length.</summary>
    public bool TakesSequence => Name == "Upsert" && Store.Engine.Has(Capabilities.Sequences)
        && Store.Value.Kind == DataKind.Bytes
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
