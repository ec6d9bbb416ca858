using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes the bodies that change a value where it lies.</summary>
internal static class MutationBodies
{
    /// <summary>
    /// A user function on a value of an unmanaged type. Under the latch, values of one word change by one store,
    /// because readers of such values take no latch; larger ones, and all under <c>Concurrency.User</c>, change
    /// directly.
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
