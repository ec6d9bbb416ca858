using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes the methods of a blind update.</summary>
/// <remarks>
/// An encoded value is passed as bytes: the session has already run the single writer, if there is one, because the
/// length must be known before the record is allocated.
/// </remarks>
internal static class UpsertBodies
{
    /// <summary>Returns whether the operation holds the new value itself in addition to its bytes.</summary>
    public static bool HoldsNewValue(OperationPlan plan) => plan.Name == "Upsert" && plan.Store.Value.IsEncoded
        && plan.Store[FunctionKind.ConcurrentWriter] is { IsRaw: false };

    public static void Emit(IndentedWriter writer, OperationPlan plan)
    {
        StoreModel store = plan.Store;
        bool isFixed = store.Value.Kind == DataKind.Unmanaged;
        string length = isFixed ? $"{Names.Unsafe}.SizeOf<{store.Value.Type}>()" : "Value.Length";
        writer.Lines($"public readonly int Length => {length};");
        writer.Blank();
        using (writer.Open("public void SingleWrite(global::System.Span<byte> value)"))
            Single(writer, plan, isFixed);
        OperationEmitter.Inline(writer, plan);
        using (writer.Open($"public bool ConcurrentWrite(ref {Names.Slot} value)"))
            Concurrent(writer, plan, isFixed);
    }

    private static void Single(IndentedWriter writer, OperationPlan plan, bool isFixed)
    {
        StoreModel store = plan.Store;
        FunctionModel? single = store[FunctionKind.SingleWriter];
        if (single is { IsRaw: true }) writer.Lines(Call(plan, single, "Value.Span", "value") + ";");
        else if (!isFixed) writer.Lines("Value.Span.CopyTo(value);");
        else if (single is null) writer.Lines($"{Names.Marshal}.Write(value, in Value);");
        else
        {
            string target = $"{Names.Marshal}.AsRef<{store.Value.Type}>(value)";
            writer.Lines(Call(plan, single, "Value", target) + ";");
        }
    }

    private static void Concurrent(IndentedWriter writer, OperationPlan plan, bool isFixed)
    {
        StoreModel store = plan.Store;
        FunctionModel? concurrent = store[FunctionKind.ConcurrentWriter];
        if (concurrent is null) StandIn(writer, plan, isFixed);
        else if (concurrent.IsRaw)
            MutationBodies.Direct(writer, concurrent, Call(plan, concurrent, "Value.Span", "value"));
        else if (isFixed)
            MutationBodies.Unmanaged(writer, store, concurrent, target => Call(plan, concurrent, "Value", target));
        else
        {
            string source = Calls.Forgiving("NewValue", store.Value.IsReference);
            MutationBodies.Encoded(writer, store, concurrent, target => Call(plan, concurrent, source, target));
        }
    }

    // Without a concurrent writer, an update in place writes the same bytes as a new record.
    private static void StandIn(IndentedWriter writer, OperationPlan plan, bool isFixed)
    {
        StoreModel store = plan.Store;
        FunctionModel? single = store[FunctionKind.SingleWriter];
        if (isFixed)
        {
            string written = "Value";
            if (single is not null)
            {
                written = "written";
                writer.Lines($"{store.Value.Type} written = default;");
                writer.Lines(Call(plan, single, "Value", written) + ";");
            }

            writer.Lines($"{Names.Atomic}.Store(ref value.As<{store.Value.Type}>(), {written});");
            writer.Lines("return true;");
        }
        else if (single is { IsRaw: true })
        {
            writer.Lines($"using {Names.Scratch} scratch = {Names.Scratch}.Rent();");
            writer.Lines("global::System.Span<byte> written = scratch.Buffer.GetSpan(Length)[..Length];");
            writer.Lines("written.Clear();");
            writer.Lines(Call(plan, single, "Value.Span", "written") + ";");
            writer.Lines("return value.TryReplace(written);");
        }
        else
        {
            writer.Lines("return value.TryReplace(Value.Span);");
        }
    }

    private static string Call(OperationPlan plan, FunctionModel function, string source, string target) =>
        Calls.Of(plan.Store, function,
            (Role.Key, KeyForms.Argument(plan.Store.Key)), (Role.Source, source), (Role.Target, target));
}
