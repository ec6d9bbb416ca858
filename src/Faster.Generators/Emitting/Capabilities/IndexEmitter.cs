namespace Faster.Generators.Emitting;

/// <summary>Writes what a store has in an engine whose index can be resized.</summary>
internal static class IndexEmitter
{
    public static void Emit(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>Doubles the index while operations continue.</summary>
            /// <param name="cancellationToken">Cancels the wait, not the growth.</param>
            /// <exception cref="{{Names.Faster}}.LimitExceededException">
            /// The index would exceed half of the memory budget.
            /// </exception>
            public global::System.Threading.Tasks.Task GrowIndexAsync(
                {{Names.Token}} cancellationToken = default) =>
                _engine.GrowIndexAsync(cancellationToken);

            /// <summary>Halves the index while operations continue, and gives the memory to the log.</summary>
            /// <param name="cancellationToken">Cancels the wait, not the shrinking.</param>
            /// <exception cref="{{Names.Faster}}.LimitExceededException">
            /// The index cannot be halved: it has its smallest size, has an odd number of buckets, or has been at its
            /// limit.
            /// </exception>
            public global::System.Threading.Tasks.Task ShrinkIndexAsync(
                {{Names.Token}} cancellationToken = default) =>
                _engine.ShrinkIndexAsync(cancellationToken);
            """);
        writer.Blank();
    }
}
