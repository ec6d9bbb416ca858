using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes what a store has in an engine with a log: scans in the log's order, history, and subscriptions.
/// </summary>
internal static class LogEmitter
{
    private const string Enumerable = "global::System.Collections.Generic.IAsyncEnumerable";

    public static void Emit(IndentedWriter writer, StoreModel store)
    {
        Scan(writer, store.Engine);
        History(writer, store);
        Subscriptions(writer);
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

    private static void Subscriptions(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Follows the log's tail. Returns each record once it is immutable, in the order of the log, and a gap
            /// where records were truncated before they were returned. Ends when the store closes.
            /// </summary>
            /// <param name="options">Where to start and which records to return; null for records from now on.</param>
            /// <param name="cancellationToken">Ends the subscription.</param>
            public {{Enumerable}}<{{Names.Faster}}.LogEntry<Record>> SubscribeAsync(
                {{Names.Faster}}.SubscribeOptions? options = null,
                {{Names.Token}} cancellationToken = default) =>
                _engine.Analytics.SubscribeAsync(options, ToRecord, cancellationToken);
            """);
        writer.Blank();
    }
}
