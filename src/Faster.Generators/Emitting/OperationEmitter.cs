using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes the private struct of one operation: its fields, the members that all operations share, and its own methods.
/// </summary>
internal static class OperationEmitter
{
    public static void Emit(IndentedWriter writer, OperationPlan plan)
    {
        string contract = plan.Borrows ? $", {Names.Contracts}.IBorrowingOperation" : "";
        writer.Lines($"/// <summary>{Summary(plan.Name)}</summary>");
        writer.Lines(Names.GeneratedCode);
        string header = $"private struct {plan.Struct}<TForm> : {Names.Contracts}.I{plan.Struct}{contract}\n"
            + $"    where TForm : struct, {Names.Contracts}.IOperationForm<TForm, {plan.Result}>";
        using (writer.Open(header))
        {
            Fields(writer, plan);
            Layout(writer, plan.Store);
            Guard(writer, plan);
            Return(writer, plan);
            writer.Blank();
            switch (plan.Name)
            {
                case "Read": ReadBodies.Emit(writer, plan); break;
                case "Upsert": UpsertBodies.Emit(writer, plan); break;
                case "Rmw": RmwBodies.Emit(writer, plan); break;
            }

            if (plan.Merger is { } merger) MergeBody.Emit(writer, plan, merger);
            Lifetime(writer, plan);
        }
    }

    /// <summary>Marks a method that hits call: one without a guard runs within the session's method.</summary>
    public static void Inline(IndentedWriter writer, OperationPlan plan)
    {
        if (!plan.RunsUserCode) writer.Lines(Names.Inlined);
    }

    private static string Summary(string name) => name switch
    {
        "Read" => "A read as the engine runs it.",
        "Upsert" => "A blind update as the engine runs it.",
        "Rmw" => "A read-modify-write as the engine runs it.",
        _ => "A deletion as the engine runs it.",
    };

    private static void Fields(IndentedWriter writer, OperationPlan plan)
    {
        StoreModel store = plan.Store;
        if (plan.UsesKey) writer.Lines($"public {KeyForms.FieldType(store.Key)} Key;");
        if (plan.Operand is { } operand) writer.Lines($"public {operand.FieldType} {operand.Field};");
        if (UpsertBodies.HoldsNewValue(plan)) writer.Lines($"public {store.Value.Type} NewValue;");
        if (store.Context is { } context) writer.Lines($"public {context.Type} Context;");
        if (plan.Output is { } output) writer.Lines($"public {output.Type} Output;");
        writer.Lines("public TForm Form;");
        writer.Blank();
        if (!plan.HasDestination) return;
        const string type = "global::System.Buffers.IBufferWriter<byte>?";
        writer.Lines($"public {type} Destination {{ readonly get; set; }}");
        writer.Blank();
        if (plan.Store[FunctionKind.Merger] is null) return;
        writer.Lines("// Deltas are merged in one piece.");
        writer.Lines($"readonly {type} {Names.Contracts}.IReadOperation.Destination => null;");
        writer.Blank();
    }

    private static void Layout(IndentedWriter writer, StoreModel store)
    {
        bool isFixed = store.Value.Kind == DataKind.Unmanaged;
        string size = isFixed ? $"{Names.Unsafe}.SizeOf<{store.Value.Type}>()" : "0";
        string latchesReads = !store.IsLatched ? "false"
            : !isFixed ? "true"
            : store.Value.IsWord ? "false" : $"!{Names.Atomic}.Fits<{store.Value.Type}>()";
        writer.Lines($"public static int ValueSize => {size};");
        string latchesUpdates = store is { IsLatched: true, SwapsWords: false } ? "true" : "false";
        writer.Lines($"public static bool LatchesUpdates => {latchesUpdates};");
        writer.Lines($"public static bool LatchesReads => {latchesReads};");
        writer.Lines("public readonly bool IsAwaited => TForm.IsAwaited;");
    }

    private static void Guard(IndentedWriter writer, OperationPlan plan)
    {
        if (plan.RunsUserCode) return;
        writer.Lines("public static bool RunsUserCode => false;");
    }

    private static void Return(IndentedWriter writer, OperationPlan plan)
    {
        if (plan.Output is not null) return;
        writer.Lines("public static bool IsReturned => TForm.IsReturned;");
    }

    private static void Lifetime(IndentedWriter writer, OperationPlan plan)
    {
        string[] borrowed = Borrowed(plan).ToArray();
        if (plan.Borrows)
        {
            using var _ = writer.Open($"public void Borrow({Names.Pinned} key, {Names.Pinned} operand)");
            if (borrowed.Contains("Key")) writer.Lines("Key = key;");
            if (plan.Operand is { IsSpan: true } operand) writer.Lines($"{operand.Field} = operand;");
        }

        if (plan.Output is { } result)
        {
            string output = Calls.Forgiving("Output", result.IsReference);
            writer.Lines($"public readonly {plan.Result} Result({Names.Status} status) =>\n"
                + $"    new({plan.Condition}, {output});");
            writer.Blank();
        }

        using (writer.Open("public void Capture()"))
        {
            foreach (string field in borrowed) writer.Lines($"{field}.Capture();");
            writer.Lines("Form = TForm.Capture();");
        }

        using (writer.Open($"public void Complete({Names.Status} status, {Names.Exception}? error)"))
        {
            foreach (string field in borrowed) writer.Lines($"{field}.Release();");
            Complete(writer, plan);
        }
    }

    private static void Complete(IndentedWriter writer, OperationPlan plan)
    {
        string result = plan.Output is null ? "status" : "Result(status)";
        FunctionModel? callback = plan.Store[FunctionKind.CompletionCallback];
        if (callback is null)
        {
            writer.Lines("// CompletePending throws the errors of the status form.");
            writer.Lines($"Form.Pending?.Complete({result}, error);");
            return;
        }

        using (writer.Open("if (Form.Pending is not null)"))
        {
            writer.Lines($"Form.Pending.Complete({result}, error);");
            writer.Lines("return;");
        }

        if (!callback.Takes(Role.Error)) writer.Lines("if (error is not null) return; // CompletePending throws it");
        // An attempt may have set the output of an update that failed later.
        string own = plan.IsRmw && callback.Takes(Role.Error) ? "(error is null ? Output : default)" : "Output";
        bool isSame = plan.Output?.Type.TrimEnd('?') == plan.Store.Output.Type.TrimEnd('?');
        string output = isSame ? own : $"default({plan.Store.Output.Type})";
        writer.Lines(Calls.Of(plan.Store, callback,
            (Role.Context, plan.Store.Context is { } c ? Calls.Forgiving("Context", c.IsReference) : null),
            (Role.Status, "status"),
            (Role.Output, Calls.Forgiving(output, plan.Store.Output.IsReference)),
            (Role.UpdateOutput, plan.Store.UpdateOutput is { } u
                ? Calls.Forgiving(plan.IsRmw ? own : $"default({u.Type})", u.IsReference) : null),
            (Role.Error, "error")) + ";");
    }

    private static IEnumerable<string> Borrowed(OperationPlan plan)
    {
        if (plan.UsesKey && plan.Store.Key.Kind == DataKind.Bytes) yield return "Key";
        if (plan.Operand is { } operand && operand.FieldType == Names.Pinned) yield return operand.Field;
    }
}
