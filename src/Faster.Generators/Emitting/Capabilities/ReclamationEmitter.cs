namespace Faster.Generators.Emitting;

/// <summary>Writes what a store has in an engine whose log is truncated and compacted by address.</summary>
internal static class ReclamationEmitter
{
    public static void Emit(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Truncates the log: discards all records below an address. A store with a folder releases the disk space
            /// with the second commit afterwards.
            /// </summary>
            /// <param name="untilAddress">The new begin address, rounded down to the start of a page.</param>
            /// <param name="cancellationToken">Cancels the wait, not the truncation.</param>
            /// <exception cref="global::System.ArgumentOutOfRangeException">The address is above the tail.</exception>
            /// <exception cref="{{Names.Faster}}.StorageException">
            /// The log cannot be written; nothing is truncated.
            /// </exception>
            public global::System.Threading.Tasks.Task TruncateAsync(
                long untilAddress,
                {{Names.Token}} cancellationToken = default) =>
                _engine.TruncateAsync(untilAddress, cancellationToken);

            /// <summary>
            /// Truncates the log's oldest pages, if their records were last changed longer ago than a given age.
            /// </summary>
            /// <param name="age">The minimum age of the discarded records.</param>
            /// <param name="cancellationToken">Cancels the wait, not the truncation.</param>
            /// <returns>The new begin address of the log.</returns>
            /// <exception cref="{{Names.Faster}}.StorageException">
            /// The log cannot be written; nothing is truncated.
            /// </exception>
            public global::System.Threading.Tasks.Task<long> TruncateOlderThanAsync(
                global::System.TimeSpan age,
                {{Names.Token}} cancellationToken = default) =>
                _engine.TruncateOlderThanAsync(age, cancellationToken);

            /// <summary>
            /// Compacts the log: copies the live records below an address to the tail, and truncates the log there.
            /// </summary>
            /// <param name="untilAddress">The address, rounded down to the start of a page; at most the tail.</param>
            /// <param name="cancellationToken">Cancels the wait, not the compaction.</param>
            /// <exception cref="{{Names.Faster}}.FasterException">
            /// The log cannot be read or written; no record is lost.
            /// </exception>
            public global::System.Threading.Tasks.Task<{{Names.Faster}}.CompactionResult> CompactAsync(
                long untilAddress,
                {{Names.Token}} cancellationToken = default) =>
                _engine.CompactAsync(untilAddress, cancellationToken);
            """);
        writer.Blank();
    }
}
