using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes the commits of a store whose commits capture a log and an index.</summary>
internal static class LogCommitEmitter
{
    private const string Storage = $"{Names.Faster}.StorageException";
    private const string Task = "global::System.Threading.Tasks.Task";

    public static void Emit(IndentedWriter writer, EngineModel engine)
    {
        writer.Lines($$"""
            /// <summary>
            /// Commits: makes all operations before the call durable, while operations continue. Completes immediately
            /// if nothing has changed since the last commit.
            /// </summary>
            /// <param name="kind">
            /// How the commit captures the log; null for <see cref="{{engine.Options}}.CommitKind"/>.
            /// </param>
            /// <param name="withIndex">
            /// Whether the commit includes a new index checkpoint, which shortens recovery. Commits include one from
            /// time to time anyway.
            /// </param>
            /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
            /// <exception cref="{{Storage}}">
            /// The commit could not be written. <see cref="{{Storage}}.MayRetry"/> says whether it can be retried; if
            /// not, the store takes no more updates.
            /// </exception>
            /// <exception cref="global::System.NotSupportedException">The store has no folder.</exception>
            public {{Task}}<{{Names.Faster}}.Commit> CommitAsync(
                {{Names.Faster}}.CommitKind? kind = null,
                bool withIndex = false,
                {{Names.Token}} cancellationToken = default) =>
                _engine.CommitAsync(kind, withIndex, cancellationToken);

            /// <summary>Takes a checkpoint of the index without a commit. Subsequent commits refer to it.</summary>
            /// <param name="cancellationToken">Cancels the wait, not the checkpoint.</param>
            /// <exception cref="{{Storage}}">The checkpoint could not be written.</exception>
            /// <exception cref="global::System.NotSupportedException">The store has no folder.</exception>
            public {{Task}} CheckpointIndexAsync(
                {{Names.Token}} cancellationToken = default) =>
                _engine.CheckpointIndexAsync(cancellationToken);
            """);
        writer.Blank();
    }
}
