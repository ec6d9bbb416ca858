using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes what a store has in an engine with one log: the scan of all records in the log's order.</summary>
internal static class LogEmitter
{
    public static void Emit(IndentedWriter writer, EngineModel engine)
    {
        writer.Lines($$"""
            /// <summary>
            /// Reads all records of the log from oldest to newest, including superseded ones and tombstones. Keeps the
            /// disk space of what is truncated meanwhile until the enumeration ends.
            /// </summary>
            public global::System.Collections.Generic.IEnumerable<Record> Scan()
            {
                using {{engine.LogScan}} scan = _engine.ScanLog();
                while (scan.MoveNext()) yield return ToRecord(scan.Current);
            }
            """);
        writer.Blank();
    }
}
