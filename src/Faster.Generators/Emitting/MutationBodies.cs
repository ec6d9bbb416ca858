using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes the bodies that change a value where it lies.</summary>
internal static class MutationBodies
{
    /// <summary>
    /// A user function on a value of an unmanaged type. Values of one word change by one instruction, because readers
    /// of such values take no latch: by compare-and-swap, or under the latch; larger ones, and all under
    /// <c>Concurrency.User</c>, change directly.
    /// </summary>
    /// <param name="writer">The writer.</param>
    /// <param name="store">The store.</param>
    /// <param name="function">The user function.</param>
    /// <param name="call">The call, given the target's name.</param>
    public static void Unmanaged(
        IndentedWriter writer, StoreModel store, FunctionModel function, Func<string, string> call)
    {
        string type = store.Value.Type;
        if (!store.IsLatched)
        {
            Direct(writer, function, call($"value.As<{type}>()"));
            return;
        }

        if (store.SwapsWords)
        {
            Swapped(writer, store, "old", call("updated"));
            return;
        }

        writer.Lines($"ref {type} stored = ref value.As<{type}>();");
        if (!store.Value.IsWord)
        {
            using var _ = writer.Open($"if (!{Names.Atomic}.Fits<{type}>())");
            Direct(writer, function, call("stored"));
        }

        writer.Lines("// Readers take no latch: they see the update by this one store, or not at all.");
        writer.Lines($"{type} updated = stored;");
        writer.Lines(function.ReturnsBool ? $"if (!{call("updated")}) return false;" : call("updated") + ";");
        writer.Lines($"{Names.Atomic}.Store(ref stored, updated);");
        writer.Lines("return true;");
    }

    /// <summary>
    /// A user function on a copy of a value of one word, which takes the value's place unless another update came
    /// first; then the function runs again.
    /// </summary>
    /// <param name="writer">The writer.</param>
    /// <param name="store">The store.</param>
    /// <param name="start">What <c>updated</c> is before the call.</param>
    /// <param name="call">The call, which works on <c>updated</c>.</param>
    public static void Swapped(IndentedWriter writer, StoreModel store, string start, string call)
    {
        string type = store.Value.Type;
        writer.Lines($"ref {type} stored = ref value.As<{type}>();");
        writer.Lines($"{type} old = {Names.Atomic}.Load(ref stored);");
        writer.Lines("// No latch: the update takes effect at once, or is made again from what came first.");
        using var _ = writer.Open("for (;;)");
        writer.Lines($"{type} updated = {start};");
        writer.Lines(call + ";");
        writer.Lines($"if ({Names.Atomic}.TrySwap(ref stored, updated, ref old)) return true;");
    }

    /// <summary>A user function on a decoded value, which goes back into the record if it fits.</summary>
    public static void Encoded(
        IndentedWriter writer, StoreModel store, FunctionModel function, Func<string, string> call)
    {
        string codec = KeyForms.Codec(store.Value, "ValueCodec");
        writer.Lines($"{store.Value.Type} updated = {codec}.Decode(value.Bytes);");
        string written = call(Calls.Forgiving("updated", store.Value.IsReference));
        writer.Lines(function.ReturnsBool ? $"if (!{written}) return false;" : written + ";");
        Replace(writer, codec);
    }

    /// <summary>Encodes <c>updated</c> and puts it into the record, or says that it does not fit.</summary>
    public static void Replace(IndentedWriter writer, string codec)
    {
        writer.Lines($"using {Names.Scratch} scratch = {Names.Scratch}.Rent();");
        writer.Lines($"{codec}.Encode(updated, scratch.Buffer);");
        writer.Lines("return value.TryReplace(scratch.Buffer.Written); // else the engine copies");
    }

    /// <summary>A user function that works on the slot itself.</summary>
    public static void Direct(IndentedWriter writer, FunctionModel function, string call)
    {
        if (function.ReturnsBool)
        {
            writer.Lines($"return {call};");
            return;
        }

        writer.Lines(call + ";");
        writer.Lines("return true;");
    }
}
