using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes what reads and read-modify-writes of a mergeable store need to merge partial values.</summary>
internal static class MergeBody
{
    public static void Emit(IndentedWriter writer, OperationPlan plan, FunctionModel merger)
    {
        writer.Lines("public static bool Merges => true;");
        writer.Blank();
        string spans = $"{Names.Bytes} older, {Names.Bytes} newer";
        using var _ = writer.Open($"public void Merge({spans}, {Names.Buffer} merged)");
        DataModel value = plan.Store.Value;
        string type = value.Type;
        if (merger.IsRaw)
        {
            writer.Lines(Call(plan, merger, "older", "newer", "merged") + ";");
        }
        else if (value.Kind == DataKind.Unmanaged)
        {
            writer.Lines($"ref {type} target = ref merged.Fixed<{type}>();");
            writer.Lines($"target = {Names.Marshal}.Read<{type}>(newer);");
            writer.Lines(Call(plan, merger, $"{Names.Marshal}.Read<{type}>(older)", null, "target") + ";");
        }
        else
        {
            string codec = KeyForms.Codec(value, "ValueCodec");
            writer.Lines($"{type} target = {codec}.Decode(newer);");
            string target = Calls.Forgiving("target", value.IsReference);
            writer.Lines(Call(plan, merger, $"{codec}.Decode(older)", null, target) + ";");
            writer.Lines($"{codec}.Encode(target, merged);");
        }
    }

    private static string Call(
        OperationPlan plan, FunctionModel merger, string older, string? newer, string target) =>
        Calls.Of(plan.Store, merger,
            (Role.Key, KeyForms.Argument(plan.Store.Key)),
            (Role.Source, older),
            (Role.Newer, newer),
            (Role.Target, target));
}
