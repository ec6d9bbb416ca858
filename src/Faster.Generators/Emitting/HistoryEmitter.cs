using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes what a store has in an engine that reads older records: the history of a key.</summary>
internal static class HistoryEmitter
{
    private const string Enumerable = "global::System.Collections.Generic.IAsyncEnumerable";

    public static void Emit(IndentedWriter writer, StoreModel store)
    {
        string end = store.Engine.Has(Capabilities.Log) ? "back to the log's begin" : "as far as they are still there";
        writer.Lines($"/// <summary>Returns the records of one key, newest first, {end}.</summary>");
        writer.Lines("/// <param name=\"key\">The key.</param>");
        writer.Lines("/// <param name=\"cancellationToken\">Ends the enumeration.</param>");
        using var _ = writer.Open(
            $"public {Enumerable}<{Names.Faster}.RecordVersion<Record>> HistoryAsync(\n"
            + $"    {KeyForms.ParameterType(store.Key)} key, {Names.Token} cancellationToken = default)");
        if (store.Key.IsEncoded)
        {
            writer.Lines($"using {Names.Scratch} keyBytes = {Names.Scratch}.Rent();");
            writer.Lines($"{KeyForms.Codec(store.Key, "KeyCodec")}.Encode(key, keyBytes.Buffer);");
        }

        string key = KeyForms.Engine(store.Key);
        writer.Lines($"return base.HistoryAsync({key}, cancellationToken);");
    }
}
