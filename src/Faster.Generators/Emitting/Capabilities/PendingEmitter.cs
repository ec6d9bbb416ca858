namespace Faster.Generators.Emitting;

/// <summary>Writes what a session has in an engine whose operations may become pending.</summary>
internal static class PendingEmitter
{
    public static void Count(IndentedWriter writer)
    {
        writer.Lines("/// <summary>The number of pending operations: those that wait for the disk.</summary>");
        writer.Lines("public int PendingCount => _session.PendingCount;");
        writer.Blank();
    }

    public static void Complete(IndentedWriter writer)
    {
        CompleteMethods(writer);
        writer.Blank();
    }

    private static void CompleteMethods(IndentedWriter writer) => writer.Lines($$"""
        /// <summary>
        /// Continues the pending operations of the status form whose disk reads are done, and calls their callbacks.
        /// </summary>
        /// <param name="wait">Whether to block until no operation is pending.</param>
        /// <returns>Whether no operation is pending.</returns>
        /// <exception cref="{{Names.Faster}}.FasterException">
        /// An operation failed, and no callback took its error. The other operations were continued.
        /// </exception>
        /// <exception cref="global::System.AggregateException">Several operations failed in this way.</exception>
        public bool CompletePending(bool wait) => _session.CompletePending(wait);

        /// <summary>
        /// Waits until no operation of the status form is pending, and calls the callbacks of those that complete.
        /// </summary>
        /// <param name="cancellationToken">Cancels the wait, not the operations, which stay pending.</param>
        public global::System.Threading.Tasks.ValueTask CompletePendingAsync(
            {{Names.Token}} cancellationToken = default) =>
            _session.CompletePendingAsync(cancellationToken);
        """);
}
