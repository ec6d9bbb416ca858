using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes the bodies that change a value in place.</summary>
internal static class MutationBodies
{
    /// <summary>
    /// Writes a user function on a value of an unmanaged type. A value of one word changes by one instruction, because
    /// its readers take no latch: by compare-and-swap, or by a store under the latch. Larger values, and all values
    /// under <c>Concurrency.User</c>, change directly.
    /// </summary>
    /// <param name="writer">Receives the code.</param>
    /// <param name="store">The store that the function belongs to.</param>
    /// <param name="function">The user function.</param>
    /// <param name="call">Returns the call, given the target's name.</param>
    /// <param name="kept">A statement for the case that the value has changed, or null.</param>
    public static void Unmanaged(
        IndentedWriter writer, StoreModel store, FunctionModel function, Func<string, string> call,
        string? kept = null)
    {
        string type = store.Value.Type;
        if (!store.IsLatched)
        {
            Direct(writer, function, call($"value.As<{type}>()"), kept);
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
            Direct(writer, function, call("stored"), kept);
        }

        writer.Lines("// Readers take no latch: this single store makes the update visible.");
        writer.Lines($"{type} updated = stored;");
        writer.Lines(function.ReturnsBool ? $"if (!{call("updated")}) return false;" : call("updated") + ";");
        writer.Lines($"{Names.Atomic}.Store(ref stored, updated);");
        Succeed(writer, kept);
    }

    /// <summary>
    /// Writes a user function on a copy of a value of one word. The copy replaces the value unless another update came
    /// first; in that case the function runs again.
    /// </summary>
    /// <param name="writer">Receives the code.</param>
    /// <param name="store">The store that the function belongs to.</param>
    /// <param name="start">The initial value of <c>updated</c>.</param>
    /// <param name="call">The call, which works on <c>updated</c>.</param>
    public static void Swapped(IndentedWriter writer, StoreModel store, string start, string call)
    {
        string type = store.Value.Type;
        writer.Lines($"ref {type} stored = ref value.As<{type}>();");
        writer.Lines($"{type} old = {Names.Atomic}.Load(ref stored);");
        writer.Lines("// No latch: the update is swapped in atomically, or repeated on the value that came first.");
        using var _ = writer.Open("for (;;)");
        writer.Lines($"{type} updated = {start};");
        writer.Lines(call + ";");
        writer.Lines($"if ({Names.Atomic}.TrySwap(ref stored, updated, old, out old)) return true;");
    }

    /// <summary>Writes a user function on a decoded value, which replaces the value in the record if it fits.</summary>
    /// <inheritdoc cref="Unmanaged"/>
    public static void Encoded(
        IndentedWriter writer, StoreModel store, FunctionModel function, Func<string, string> call,
        string? kept = null)
    {
        string codec = KeyForms.Codec(store.Value, "ValueCodec");
        writer.Lines($"{store.Value.Type} updated = {codec}.Decode(value.Bytes);");
        string written = call(Calls.Forgiving("updated", store.Value.IsReference));
        writer.Lines(function.ReturnsBool ? $"if (!{written}) return false;" : written + ";");
        Replace(writer, codec, kept);
    }

    /// <summary>Writes code that encodes <c>updated</c> into the record; false if it does not fit.</summary>
    public static void Replace(IndentedWriter writer, string codec, string? kept = null)
    {
        writer.Lines($"using {Names.Scratch} scratch = {Names.Scratch}.Rent();");
        writer.Lines($"{codec}.Encode(updated, scratch.Buffer);");
        Put(writer, kept);
    }

    /// <summary>Writes code that puts the scratch buffer into the record; false if it does not fit.</summary>
    public static void Put(IndentedWriter writer, string? kept)
    {
        const string put = "value.TryReplace(scratch.Buffer.Written)";
        if (kept is null)
        {
            writer.Lines($"return {put}; // if false, the engine copies");
            return;
        }

        writer.Lines($"if (!{put}) return false; // the engine copies");
        Succeed(writer, kept);
    }

    /// <summary>Writes a user function that works on the value slot itself.</summary>
    public static void Direct(IndentedWriter writer, FunctionModel function, string call, string? kept = null)
    {
        if (function.ReturnsBool && kept is null)
        {
            writer.Lines($"return {call};");
            return;
        }

        writer.Lines(function.ReturnsBool ? $"if (!{call}) return false;" : call + ";");
        Succeed(writer, kept);
    }

    private static void Succeed(IndentedWriter writer, string? kept)
    {
        if (kept is not null) writer.Lines(kept);
        writer.Lines("return true;");
    }
}
