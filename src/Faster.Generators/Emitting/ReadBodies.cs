using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes the methods of a read.</summary>
internal static class ReadBodies
{
    public static void Emit(IndentedWriter writer, OperationPlan plan)
    {
        FunctionModel? single = plan.Store[FunctionKind.SingleReader];
        FunctionModel? concurrent = plan.Store[FunctionKind.ConcurrentReader];
        OperationEmitter.Inline(writer, plan);
        using (writer.Open($"public void SingleRead({Names.Bytes} value)"))
            Body(writer, plan, single ?? concurrent, isConcurrent: false);
        OperationEmitter.Inline(writer, plan);
        using (writer.Open($"public void ConcurrentRead({Names.Bytes} value)"))
            Body(writer, plan, concurrent ?? single, isConcurrent: true);
    }

    private static void Body(IndentedWriter writer, OperationPlan plan, FunctionModel? reader, bool isConcurrent)
    {
        StoreModel store = plan.Store;
        string type = store.Value.Type;
        string decoded = store.Value.Kind switch
        {
            DataKind.Unmanaged when isConcurrent => $"{Names.Atomic}.Load<{type}>(value)",
            DataKind.Unmanaged => $"{Names.Marshal}.Read<{type}>(value)",
            DataKind.Bytes => "value.ToArray()",
            _ => $"{KeyForms.Codec(store.Value, "ValueCodec")}.Decode(value)",
        };
        if (reader is null)
        {
            if (plan.HasDestination)
            {
                using (writer.Open("if (Destination is not null)"))
                {
                    writer.Lines("global::System.Buffers.BuffersExtensions.Write(Destination, value);");
                    writer.Lines("Output = [];");
                    writer.Lines("return;");
                }
            }

            writer.Lines($"Output = {decoded};");
            return;
        }

        if (!reader.IsRaw) writer.Lines($"{type} stored = {decoded};");
        string source = reader.IsRaw ? "value" : Calls.Forgiving("stored", store.Value.IsReference);
        writer.Lines(Calls.Of(store, reader,
            (Role.Key, KeyForms.Argument(store.Key)),
            (Role.Input, plan.Operand?.AsArgument),
            (Role.Source, source),
            (Role.Output, Calls.Forgiving("Output", store.Output.IsReference))) + ";");
    }
}
