using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes the private struct of a batch: what hands the engine one key and operation after the other.
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
            $"private ref struct {plan.Batch} : {Names.Contracts}.IBatch<{keyType}, {plan.Struct}>");
        writer.Lines($"public {Names.Span(KeyForms.BatchType(store.Key))} Keys;");
        if (store.Key.IsEncoded) writer.Lines($"public {encoded} EncodedKeys;");
        if (plan.Operand is { } operand)
        {
            string type = operand.IsEncoded ? encoded : Names.Span(operand.BatchType!);
            writer.Lines($"public {type} {operand.Field}s;");
        }

        if (UpsertBodies.HoldsNewValue(plan)) writer.Lines($"public {Names.Span(store.Value.Type)} NewValues;");
        if (plan.IsRead) writer.Lines($"public global::System.Span<{plan.Result}> Results;");
        writer.Lines($"public {Names.Contracts}.PendingBatch<{plan.Result}> Pending;");
        writer.Blank();
        writer.Lines("public readonly int Count => Keys.Length;");
        writer.Blank();
        string key = store.Key.Kind switch
        {
            DataKind.Unmanaged => "Keys[index]",
            DataKind.Bytes => "Keys[index].Span",
            _ => "EncodedKeys[index].Span",
        };
        writer.Lines($"public readonly {keyType} GetKey(int index) => new {keyType}({key});");
        writer.Blank();
        writer.Lines($"public readonly {plan.Struct} GetOperation(int index) =>");
        writer.Lines($"    new {plan.Struct} {{ {string.Join(", ", Fields(plan))} }};");
        writer.Blank();
        string set = $"public void SetResult(int index, {Names.Status} status, ref {plan.Struct} operation)";
        using var body = writer.Open(set);
        writer.Lines($"if (status == {Names.Status}.Pending) Pending.Add(index, operation.Pending!);");
        if (plan.IsRead) writer.Lines("else Results[index] = operation.Result(status);");
    }

    private static IEnumerable<string> Fields(OperationPlan plan)
    {
        yield return $"Form = {Names.Form}.Batched";
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
