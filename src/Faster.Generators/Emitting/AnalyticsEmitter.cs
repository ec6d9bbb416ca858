using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes what of a store reads its log as a whole: scans, history, subscriptions, export and import.
/// </summary>
internal static class AnalyticsEmitter
{
    private const string Enumerable = "global::System.Collections.Generic.IAsyncEnumerable";
    private const string Progress = "global::System.IProgress<global::Faster.TransferProgress>?";
    private const string Pipelines = "global::System.IO.Pipelines";
    private const string Stream = "global::System.IO.Stream";
    private const string Long = "global::System.Threading.Tasks.Task<long>";
    private const string ScanOptions = "global::Faster.ScanOptions?";

    public static void Emit(IndentedWriter writer, StoreModel store)
    {
        Scans(writer);
        History(writer, store);
        Subscriptions(writer);
        Export(writer);
        Import(writer);
    }

    private static void Scans(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>Reads the log's records from oldest to newest, superseded ones and tombstones too.</summary>
            public global::System.Collections.Generic.IEnumerable<Record> Scan()
            {
                using {{Names.Faster}}.LogScan<{{Names.Probe}}> scan = _engine.ScanLog();
                while (scan.MoveNext()) yield return ToRecord(scan.Current);
            }

            /// <summary>
            /// Scans the newest record of each key that is not deleted, or whatever the options say, while operations
            /// go on.
            /// </summary>
            /// <param name="options">What is scanned; null for what is live now.</param>
            /// <param name="cancellationToken">Ends the scan.</param>
            /// <exception cref="global::Faster.LogTruncatedException">
            /// A part of the log was given up before it was scanned.
            /// </exception>
            /// <exception cref="global::Faster.CommitUnavailableException">
            /// The state as of the commit can't be told.
            /// </exception>
            public {{Enumerable}}<Record> ScanAsync(
                {{ScanOptions}} options = null,
                {{Names.Token}} cancellationToken = default) =>
                _engine.Analytics.ScanAsync(options, ToRecord, cancellationToken);

            /// <summary>The commits as of which the store can be scanned, oldest first.</summary>
            public global::System.Collections.Generic.IReadOnlyList<global::Faster.Commit> ScannableCommits =>
                _engine.Analytics.ScannableCommits;
            """);
        writer.Blank();
    }

    private static void History(IndentedWriter writer, StoreModel store)
    {
        writer.Lines("/// <summary>The records of one key, newest first, as far as the log goes back.</summary>");
        writer.Lines("/// <param name=\"key\">The key.</param>");
        writer.Lines("/// <param name=\"cancellationToken\">Ends the enumeration.</param>");
        using var _ = writer.Open(
            $"public {Enumerable}<{Names.Faster}.PastRecord<Record>> HistoryAsync(\n"
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
            /// Follows the log's tail: each record once it is immutable, in the log's order; where records were given
            /// up unseen, a gap. Ends when the store closes.
            /// </summary>
            /// <param name="options">Where to begin and what to see; null for what comes from now on.</param>
            /// <param name="cancellationToken">Ends the subscription.</param>
            public {{Enumerable}}<{{Names.Faster}}.TailItem<Record>> SubscribeAsync(
                {{Names.Faster}}.SubscribeOptions? options = null,
                {{Names.Token}} cancellationToken = default) =>
                _engine.Analytics.SubscribeAsync(options, ToRecord, cancellationToken);
            """);
        writer.Blank();
    }

    private static void Export(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>A scan as the bytes of an export, made as they are read; complete it to end it.</summary>
            /// <param name="options">What is scanned; null for what is live now.</param>
            /// <param name="cancellationToken">Ends the scan, and fails the reader.</param>
            public {{Pipelines}}.PipeReader OpenReader(
                {{ScanOptions}} options = null,
                {{Names.Token}} cancellationToken = default) =>
                _engine.Analytics.OpenReader(options, cancellationToken);
            """);
        writer.Blank();
        foreach (string type in new[] { Stream, Pipelines + ".PipeWriter" })
        {
            writer.Lines($$"""
                /// <summary>Writes a scan as bytes: a backup, or a copy for another store.</summary>
                /// <param name="destination">Gets the bytes; is flushed and stays open.</param>
                /// <param name="options">What is exported; null for what is live now.</param>
                /// <param name="progress">Told now and then how far it has come; or null.</param>
                /// <param name="cancellationToken">Ends the export; no import takes what was written.</param>
                /// <returns>How many records were written.</returns>
                public {{Long}} ExportAsync(
                    {{type}} destination,
                    {{ScanOptions}} options = null,
                    {{Progress}} progress = null,
                    {{Names.Token}} cancellationToken = default) =>
                    _engine.Analytics.ExportAsync(destination, options, progress, cancellationToken);
                """);
            writer.Blank();
        }
    }

    private static void Import(IndentedWriter writer)
    {
        foreach (string type in new[] { Stream, Pipelines + ".PipeReader" })
        {
            writer.Lines($$"""
                /// <summary>
                /// Writes the records of an export into this store, over those that it has. Commit afterwards to keep
                /// them.
                /// </summary>
                /// <param name="source">The bytes of the export; is read to its end and stays open.</param>
                /// <param name="progress">Told now and then how far it has come; or null.</param>
                /// <param name="cancellationToken">Ends the import; what was written by then stays.</param>
                /// <returns>How many records were written: all of the export.</returns>
                /// <exception cref="global::Faster.DamagedDataException">
                /// The export is damaged, cut off, or of other records. What was written by then stays.
                /// </exception>
                public {{Long}} ImportAsync(
                    {{type}} source,
                    {{Progress}} progress = null,
                    {{Names.Token}} cancellationToken = default) =>
                    _engine.Analytics.ImportAsync<UpsertOperation>(source, progress, cancellationToken);
                """);
            writer.Blank();
        }
    }
}
