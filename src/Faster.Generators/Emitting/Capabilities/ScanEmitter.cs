using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes what a store has in an engine that scans live records: scans, export and import.</summary>
internal static class ScanEmitter
{
    private const string Enumerable = "global::System.Collections.Generic.IAsyncEnumerable";
    private const string Progress = "global::System.IProgress<global::Faster.TransferProgress>?";
    private const string Pipelines = "global::System.IO.Pipelines";
    private const string Stream = "global::System.IO.Stream";
    private const string Long = "global::System.Threading.Tasks.Task<long>";
    private const string ScanOptions = "global::Faster.ScanOptions?";

    public static void Emit(IndentedWriter writer, EngineModel engine)
    {
        if (engine.Has(Capabilities.Log)) ScanOfLog(writer);
        else if (engine.Has(Capabilities.CommitScans)) ScanOfCommits(writer);
        else Scan(writer);
        Export(writer);
        Import(writer, engine.Has(Capabilities.Commits));
    }

    private static void Scan(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Returns each record that is in the store during the whole scan once, while operations continue.
            /// </summary>
            /// <param name="options">Null, or options that select live records.</param>
            /// <param name="cancellationToken">Cancels the scan.</param>
            /// <exception cref="global::System.NotSupportedException">The options select other records.</exception>
            public {{Enumerable}}<Record> ScanAsync(
                {{ScanOptions}} options = null,
                {{Names.Token}} cancellationToken = default) =>
                _engine.Analytics.ScanAsync(options, ToRecord, cancellationToken);
            """);
        writer.Blank();
    }

    private static void ScanOfCommits(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Scans the newest record of each key that is not deleted, now or as of a commit, while operations
            /// continue. Keeps the disk space of what is truncated meanwhile until the enumeration ends.
            /// </summary>
            /// <param name="options">Null for the state of now, or options with the commit.</param>
            /// <param name="cancellationToken">Cancels the scan.</param>
            /// <exception cref="global::System.NotSupportedException">The options select older records.</exception>
            /// <exception cref="global::Faster.FasterException">
            /// The state as of the commit cannot be reconstructed.
            /// </exception>
            public {{Enumerable}}<Record> ScanAsync(
                {{ScanOptions}} options = null,
                {{Names.Token}} cancellationToken = default) =>
                _engine.Analytics.ScanAsync(options, ToRecord, cancellationToken);
            """);
        writer.Blank();
    }

    private static void ScanOfLog(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Scans the newest record of each key that is not deleted, or the records that the options select, while
            /// operations continue. Keeps the disk space of what is truncated meanwhile until the enumeration ends.
            /// </summary>
            /// <param name="options">The records to scan; null for those that are live now.</param>
            /// <param name="cancellationToken">Cancels the scan.</param>
            /// <exception cref="global::Faster.FasterException">
            /// The state as of the commit cannot be reconstructed.
            /// </exception>
            public {{Enumerable}}<Record> ScanAsync(
                {{ScanOptions}} options = null,
                {{Names.Token}} cancellationToken = default) =>
                _engine.Analytics.ScanAsync(options, ToRecord, cancellationToken);
            """);
        writer.Blank();
    }

    private static void Export(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Opens a reader of a scan in the export format. The bytes are produced as they are read; complete the
            /// reader to end the scan.
            /// </summary>
            /// <param name="options">The records to scan; null for those that are live now.</param>
            /// <param name="cancellationToken">Cancels the scan and fails the reader.</param>
            public {{Pipelines}}.PipeReader OpenReader(
                {{ScanOptions}} options = null,
                {{Names.Token}} cancellationToken = default) =>
                _engine.Analytics.OpenReader(options, cancellationToken);
            """);
        writer.Blank();
        foreach (string type in new[] { Stream, Pipelines + ".PipeWriter" })
        {
            writer.Lines($$"""
                /// <summary>Writes a scan in the export format, as a backup or as a copy for another store.</summary>
                /// <param name="destination">Receives the bytes; it is flushed and stays open.</param>
                /// <param name="options">The records to export; null for those that are live now.</param>
                /// <param name="progress">Receives the progress from time to time; or null.</param>
                /// <param name="cancellationToken">
                /// Cancels the export; imports reject the bytes written until then.
                /// </param>
                /// <returns>The number of records written.</returns>
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

    private static void Import(IndentedWriter writer, bool commits)
    {
        const string Upsert = $"UpsertOperation<{Names.Contracts}.StatusForm<{Names.Status}>>";
        string[] summary = commits
            ?
            [
                "Writes the records of an export into this store, replacing those with the same keys. Commit",
                "afterwards to make them durable.",
            ]
            : ["Writes the records of an export into this store, replacing those with the same keys."];
        foreach (string type in new[] { Stream, Pipelines + ".PipeReader" })
        {
            writer.Lines($$"""
                /// <summary>
                /// {{string.Join("\n/// ", summary)}}
                /// </summary>
                /// <param name="source">The bytes of the export; it is read to its end and stays open.</param>
                /// <param name="progress">Receives the progress from time to time; or null.</param>
                /// <param name="cancellationToken">Cancels the import; records written until then stay.</param>
                /// <returns>The number of records written: all records of the export.</returns>
                /// <exception cref="global::Faster.DamagedDataException">
                /// The export is damaged, truncated, or of another record schema. Records written until then stay.
                /// </exception>
                public {{Long}} ImportAsync(
                    {{type}} source,
                    {{Progress}} progress = null,
                    {{Names.Token}} cancellationToken = default) =>
                    _engine.Analytics.ImportAsync<{{Upsert}}>(source, progress, cancellationToken);
                """);
            writer.Blank();
        }
    }
}
