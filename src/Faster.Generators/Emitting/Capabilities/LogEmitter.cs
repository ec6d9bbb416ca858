using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes what a store has in an engine with one log: scans in the log's order, and history.</summary>
internal static class LogEmitter
{
    private const string Enumerable = "global::System.Collections.Generic.IAsyncEnumerable";

    public static void Emit(IndentedWriter writer, StoreModel store)
    {
        Scan(writer, store.Engine);
        History(writer, store);
    }

    private static void Scan(IndentedWriter writer, EngineModel engine)
    {
        writer.Lines($$"""
            /// <summary>
            /// Reads all records of the log from oldest to newest, including superseded ones and tombstones.
            /// </summary>
            public global::System.Collections.Generic.IEnumerable<Record> Scan()
            {
                using {{engine.LogScan}} scan = _engine.ScanLog();
                while (scan.MoveNext()) yield return ToRecord(scan.Current);
            }

            /// <summary>The commits whose state can be scanned, oldest first.</summary>
            public global::System.Collections.Generic.IReadOnlyList<global::Faster.Commit> ScannableCommits =>
                _engine.Analytics.ScannableCommits;
            """);
        writer.Blank();
    }

    private static void History(IndentedWriter writer, StoreModel store)
    {
        writer.Lines("/// <summary>Returns the records of one key, newest first, back to the log's begin.</summary>");
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
        writer.Lines($"return _engine.Analytics.HistoryAsync({key}, ToRecord, cancellationToken);");
    }
}
