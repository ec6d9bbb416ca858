using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes the methods that merge deltas: in reads and read-modify-writes, and where the store merges on its own.
/// </summary>
internal static class MergeBody
{
    private const string Spans = $"{Names.Bytes} older, {Names.Bytes} newer, {Names.Buffer} merged";

    /// <summary>Writes the members of an operation.</summary>
    public static void Emit(IndentedWriter writer, OperationPlan plan, FunctionModel merger)
    {
        writer.Lines("public static bool Merges => true;");
        writer.Blank();
        using var _ = writer.Open($"public void Merge({Spans})");
        Body(writer, plan.Store, merger, KeyForms.Argument(plan.Store.Key));
    }

    /// <summary>Writes the merger of the store's schema.</summary>
    public static void EmitAlone(IndentedWriter writer, StoreModel store, FunctionModel merger)
    {
        writer.Lines("/// <summary>Merges deltas in compaction and in scans.</summary>");
        using var _ = writer.Open($"public static void Merge(\n    {Names.Bytes} key, {Spans})");
        string key = store.Key.Kind == DataKind.Bytes ? "key" : StoreEmitter.Decode(store.Key, "key", "KeyCodec");
        Body(writer, store, merger, key);
    }

    private static void Body(IndentedWriter writer, StoreModel store, FunctionModel merger, string key)
    {
        DataModel value = store.Value;
        string type = value.Type;
        string Call(string older, string? newer, string target) => Calls.Of(store, merger,
            (Role.Key, key), (Role.Source, older), (Role.Newer, newer), (Role.Target, target));
        if (merger.IsRaw)
        {
            writer.Lines(Call("older", "newer", "merged") + ";");
        }
        else if (value.Kind == DataKind.Unmanaged)
        {
            writer.Lines($"ref {type} target = ref merged.Fixed<{type}>();");
            writer.Lines($"target = {Names.Marshal}.Read<{type}>(newer);");
            writer.Lines(Call($"{Names.Marshal}.Read<{type}>(older)", null, "target") + ";");
        }
        else
        {
            string codec = KeyForms.Codec(value, "ValueCodec");
            writer.Lines($"{type} target = {codec}.Decode(newer);");
            string target = Calls.Forgiving("target", value.IsReference);
            writer.Lines(Call($"{codec}.Decode(older)", null, target) + ";");
            writer.Lines($"{codec}.Encode(target, merged);");
        }
    }
}
