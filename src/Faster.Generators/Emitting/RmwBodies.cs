using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes the methods of a read-modify-write, with defaults for omitted updaters.</summary>
internal static class RmwBodies
{
    public static void Emit(IndentedWriter writer, OperationPlan plan)
    {
        using (writer.Open($"public void InitialUpdate({Names.Buffer} value)")) Initial(writer, plan);
        OperationEmitter.Inline(writer, plan);
        using (writer.Open($"public bool InPlaceUpdate(ref {Names.Slot} value)")) InPlace(writer, plan);
        using (writer.Open($"public void CopyUpdate({Names.Bytes} oldValue, {Names.Buffer} newValue)"))
            Copy(writer, plan);
    }

    private static void Initial(IndentedWriter writer, OperationPlan plan)
    {
        StoreModel store = plan.Store;
        FunctionModel? initial = store[FunctionKind.InitialUpdater];
        FunctionModel? inPlace = store[FunctionKind.InPlaceUpdater];
        FunctionModel? copy = store[FunctionKind.CopyUpdater];
        bool canUpdateEmpty = inPlace is { ReturnsBool: false, IsRaw: false };
        if (initial is null && canUpdateEmpty) writer.Lines("// The first value is an updated empty one.");
        else if (initial is null) writer.Lines("// The first value is an updated copy of an empty one.");
        FunctionModel function = initial ?? (canUpdateEmpty ? inPlace! : copy!);
        if (function.IsRaw)
        {
            writer.Lines(Call(plan, function, "default", "value") + ";");
        }
        else if (store.Value.Kind == DataKind.Unmanaged)
        {
            string target = $"value.Fixed<{store.Value.Type}>()";
            writer.Lines(Call(plan, function, $"default({store.Value.Type})", target) + ";");
        }
        else
        {
            writer.Lines($"{store.Value.Type} created = {Empty(store.Value)};");
            string target = Calls.Forgiving("created", store.Value.IsReference);
            writer.Lines(Call(plan, function, Empty(store.Value), target) + ";");
            writer.Lines($"{Codec(store)}.Encode(created, value);");
        }
    }

    private static void InPlace(IndentedWriter writer, OperationPlan plan)
    {
        StoreModel store = plan.Store;
        FunctionModel? inPlace = store[FunctionKind.InPlaceUpdater];
        if (inPlace is null)
        {
            InPlaceByCopy(writer, plan, store[FunctionKind.CopyUpdater]!);
            return;
        }

        string? kept = Keep(writer, plan, mayFail: inPlace.ReturnsBool || store.Value.IsEncoded);
        string CallOn(string target) => Call(plan, inPlace, null, target, kept is null ? "Output" : "output");
        if (inPlace.IsRaw) MutationBodies.Direct(writer, inPlace, CallOn("value"), kept);
        else if (store.Value.IsEncoded) MutationBodies.Encoded(writer, store, inPlace, CallOn, kept);
        else MutationBodies.Unmanaged(writer, store, inPlace, CallOn, kept);
    }

    // If the value does not fit, the output stays that of the copy that was made before, if there was one. Returns the
    // statement for the case that it fits; null if there is no output, or the value always fits.
    private static string? Keep(IndentedWriter writer, OperationPlan plan, bool mayFail)
    {
        if (plan.Output is not { } output || !mayFail) return null;
        writer.Lines($"{output.Type} output;");
        return "Output = output;";
    }

    private static void InPlaceByCopy(IndentedWriter writer, OperationPlan plan, FunctionModel copy)
    {
        StoreModel store = plan.Store;
        if (!store.IsLatched)
        {
            writer.Lines("return false; // without a latch only a new record can replace the old one as a whole");
        }
        else if (copy.IsRaw)
        {
            string? kept = Keep(writer, plan, mayFail: true);
            writer.Lines($"using {Names.Scratch} scratch = {Names.Scratch}.Rent();");
            writer.Lines(Call(plan, copy, "value.Bytes", "scratch.Buffer", "output") + ";");
            MutationBodies.Put(writer, kept);
        }
        else if (store.Value.IsEncoded)
        {
            string? kept = Keep(writer, plan, mayFail: true);
            string old = $"{Codec(store)}.Decode(value.Bytes)";
            writer.Lines($"{store.Value.Type} updated = {Empty(store.Value)};");
            writer.Lines(
                Call(plan, copy, old, Calls.Forgiving("updated", store.Value.IsReference), "output") + ";");
            MutationBodies.Replace(writer, Codec(store), kept);
        }
        else if (store.SwapsWords)
        {
            MutationBodies.Swapped(writer, store, "default", Call(plan, copy, "old", "updated"));
        }
        else
        {
            writer.Lines($"ref {store.Value.Type} stored = ref value.As<{store.Value.Type}>();");
            writer.Lines($"{store.Value.Type} updated = default;");
            writer.Lines(Call(plan, copy, "stored", "updated") + ";");
            writer.Lines($"{Names.Atomic}.Store(ref stored, updated);");
            writer.Lines("return true;");
        }
    }

    private static void Copy(IndentedWriter writer, OperationPlan plan)
    {
        StoreModel store = plan.Store;
        FunctionModel? copy = store[FunctionKind.CopyUpdater];
        FunctionModel function = copy ?? store[FunctionKind.InPlaceUpdater]!;
        string type = store.Value.Type;
        if (copy is null) writer.Lines("// The copy is the old value, which the updater then updates.");
        if (function.IsRaw)
        {
            writer.Lines(Call(plan, function, "oldValue", "newValue") + ";");
        }
        else if (store.Value.Kind == DataKind.Unmanaged)
        {
            writer.Lines($"{type} old = {Names.Marshal}.Read<{type}>(oldValue);");
            writer.Lines($"ref {type} copy = ref newValue.Fixed<{type}>();");
            if (copy is null) writer.Lines("copy = old;");
            writer.Lines(Call(plan, function, "old", "copy") + ";");
        }
        else
        {
            string old = $"{Codec(store)}.Decode(oldValue)";
            writer.Lines($"{type} copy = {(copy is null ? old : Empty(store.Value))};");
            writer.Lines(Call(plan, function, old, Calls.Forgiving("copy", store.Value.IsReference)) + ";");
            writer.Lines($"{Codec(store)}.Encode(copy, newValue);");
        }
    }

    private static string Codec(StoreModel store) => KeyForms.Codec(store.Value, "ValueCodec");

    private static string Empty(DataModel value) =>
        value.Kind == DataKind.Text ? "\"\"" : value.IsReference ? "default!" : $"default({value.Type})";

    private static string Call(
        OperationPlan plan, FunctionModel function, string? source, string target, string output = "Output") =>
        Calls.Of(plan.Store, function,
            (Role.Key, KeyForms.Argument(plan.Store.Key)),
            (Role.Input, plan.Operand?.AsArgument),
            (Role.Source, source),
            (Role.Target, target),
            (Role.Output, plan.Output is { } o ? Calls.Forgiving(output, o.IsReference) : null));
}
