using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes the private struct of a batch, which passes keys and operations to the engine one after another.
/// </summary>
internal static class BatchEmitter
{
    public static void Emit(IndentedWriter writer, OperationPlan plan)
    {
        StoreModel store = plan.Store;
        string keyType = KeyForms.EngineType(store.Key);
        const string encoded = Names.Contracts + ".EncodedBatch";
        writer.Lines($"/// <summary>A batch of {plan.Name} operations.</summary>");
        writer.Lines(Names.GeneratedCode);
        using var _ = writer.Open(
            $"private ref struct {plan.Batch}\n    : {Names.Contracts}.IBatch<{keyType}, {plan.In("Batched")}>");
        writer.Lines($"public {Names.Span(KeyForms.BatchType(store.Key))} Keys;");
        if (store.Key.IsEncoded) writer.Lines($"public {encoded} EncodedKeys;");
        if (plan.Operand is { } operand)
        {
            string type = operand.IsEncoded ? encoded : Names.Span(operand.BatchType!);
            writer.Lines($"public {type} {operand.Field}s;");
        }

        if (UpsertBodies.HoldsNewValue(plan)) writer.Lines($"public {Names.Span(store.Value.Type)} NewValues;");
        if (plan.Output is not null) writer.Lines($"public global::System.Span<{plan.Result}> Results;");
        writer.Lines($"public {Names.Contracts}.AwaitableBatch<{plan.Result}> Pending;");
        writer.Blank();
        writer.Lines("public readonly int Count => Keys.Length;");
        string key = store.Key.Kind switch
        {
            DataKind.Unmanaged => "Keys[index]",
            DataKind.Bytes => "Keys[index].Span",
            _ => "EncodedKeys[index].Span",
        };
        writer.Lines($"public readonly {keyType} GetKey(int index) => new {keyType}({key});");
        writer.Lines($"public readonly {plan.In("Batched")} GetOperation(int index) =>");
        string[] fields = [.. Fields(plan)];
        writer.Lines($"    new(){(fields.Length == 0 ? "" : $" {{ {string.Join(", ", fields)} }}")};");
        writer.Blank();
        using var body = writer.Open(
            $"public void SetResult(\n    int index, {Names.Status} status, ref {plan.In("Batched")} operation)");
        writer.Lines($"if (status == {Names.Status}.Pending) Pending.Add(index, operation.Form.Pending!);");
        if (plan.Output is not null) writer.Lines("else Results[index] = operation.Result(status);");
    }

    /// <summary>Writes a batch that also keeps the statuses. Apart, so that batches without them keep none.</summary>
    public static void EmitWithStatuses(IndentedWriter writer, OperationPlan plan)
    {
        string key = KeyForms.EngineType(plan.Store.Key);
        writer.Lines($"/// <summary>A batch of {plan.Name} operations that keeps their statuses.</summary>");
        writer.Lines(Names.GeneratedCode);
        using var _ = writer.Open(
            $"private ref struct {plan.StatusBatch}\n    : {Names.Contracts}.IBatch<{key}, {plan.In("Batched")}>");
        writer.Lines($"public {plan.Batch} Batch;");
        writer.Lines($"public global::System.Span<{Names.Status}> Statuses;");
        writer.Blank();
        writer.Lines("public readonly int Count => Batch.Count;");
        writer.Lines($"public readonly {key} GetKey(int index) => Batch.GetKey(index);");
        writer.Lines($"public readonly {plan.In("Batched")} GetOperation(int index) => Batch.GetOperation(index);");
        writer.Blank();
        using var body = writer.Open(
            $"public void SetResult(\n    int index, {Names.Status} status, ref {plan.In("Batched")} operation)");
        writer.Lines("Batch.SetResult(index, status, ref operation);");
        writer.Lines("Statuses[index] = status;");
    }

    private static IEnumerable<string> Fields(OperationPlan plan)
    {
        if (plan.UsesKey)
        {
            bool isBytes = plan.Store.Key.Kind == DataKind.Bytes;
            yield return isBytes ? $"Key = new {Names.Pinned}(Keys[index])" : "Key = Keys[index]";
        }

        if (plan.Operand is { } operand)
        {
            string item = $"{operand.Field}s[index]";
            bool isHeld = operand.FieldType == Names.Pinned;
            yield return $"{operand.Field} = {(isHeld ? $"new {Names.Pinned}({item})" : item)}";
        }

        if (UpsertBodies.HoldsNewValue(plan)) yield return "NewValue = NewValues[index]";
    }
}
