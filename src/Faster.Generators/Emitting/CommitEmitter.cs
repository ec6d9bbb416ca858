using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes what stores and sessions have for commits and recovery: thin forwards to the engine, with the documentation
/// that users read.
/// </summary>
internal static class CommitEmitter
{
    private const string Misuse = $"{Names.Faster}.SessionMisuseException";
    private const string Storage = $"{Names.Faster}.StorageException";
    private const string Task = "global::System.Threading.Tasks.Task";

    /// <summary>The method that opens a store which must have been committed.</summary>
    public static void Recover(IndentedWriter writer, StoreModel store)
    {
        const string options = $"{Names.Faster}.StoreOptions";
        writer.Lines($$"""
            /// <summary>Recovers the store from the last commit in a folder; there must be one.</summary>
            /// <param name="path">The folder.</param>
            /// <param name="options">How to open it, or null for the defaults.</param>
            /// <param name="progress">Told how far the recovery is, from threads of the store; or null.</param>
            /// <param name="cancellationToken">Ends the recovery, which changes nothing in the folder.</param>
            /// <exception cref="{{Names.Faster}}.StoreOpenException">
            /// The folder has no commit, or can't be used.
            /// </exception>
            /// <exception cref="{{Names.Faster}}.DamagedDataException">
            /// What lies in the folder can't be trusted; the message names file and byte.
            /// </exception>
            {{Names.GeneratedCode}}
            {{store.Accessibility}} static async {{Names.Task("Store")}} RecoverAsync(
                string path,
                {{options}}? options = null,
                global::System.IProgress<{{Names.Faster}}.RecoveryProgress>? progress = null,
                {{Names.Token}} cancellationToken = default)
            {
                {{Names.Engine}} engine =
                    await {{Names.Engine}}
                    .RecoverAsync(path, options ?? new {{options}}(), Schema, progress, cancellationToken)
                    .ConfigureAwait(false);
                return new Store(engine);
            }
            """);
        writer.Blank();
    }

    /// <summary>The store's members: what was recovered, commits, sessions by name.</summary>
    public static void Store(IndentedWriter writer)
    {
        Commits(writer);
        Sessions(writer);
    }

    /// <summary>The session's members: its numbers and its commit points.</summary>
    public static void Session(IndentedWriter writer)
    {
        Numbers(writer);
        Points(writer);
    }

    /// <summary>Documents the last parameter of a batch.</summary>
    public static void SerialNumberDocs(IndentedWriter writer) => writer.Lines("""
        /// <param name="serialNumber">
        /// One number for all of them, above <see cref="SerialNumber"/>: a commit takes all or none. Null: a number
        /// each.
        /// </param>
        """);

    private static void Commits(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>What opening the store has recovered; null where nothing had been committed.</summary>
            public {{Names.Faster}}.RecoveryReport? Recovery => _engine.Recovery;

            /// <summary>Called after each commit, in order, by a thread of the store; must return soon.</summary>
            public event global::System.Action<{{Names.Faster}}.Commit>? Committed
            {
                add => _engine.Committed += value;
                remove => _engine.Committed -= value;
            }

            /// <summary>
            /// Raised after each internal fault that concerned no operation, in order, one at a time, by a thread of
            /// the pool. What a handler throws is counted as a fault, and raises nothing.
            /// </summary>
            public event global::System.EventHandler<{{Names.Faster}}.FaultEventArgs>? FaultOccurred
            {
                add => _engine.FaultOccurred += value;
                remove => _engine.FaultOccurred -= value;
            }

            /// <summary>
            /// Commits: makes durable what was done before the call, while operations go on. Completes at once when
            /// nothing was done since the last commit.
            /// </summary>
            /// <param name="kind">
            /// How the log is captured; null for <see cref="{{Names.Faster}}.StoreOptions.CommitKind"/>.
            /// </param>
            /// <param name="withIndex">
            /// Whether a new checkpoint of the index belongs to it, which shortens recovery. One is taken now and then
            /// anyway.
            /// </param>
            /// <param name="cancellationToken">Ends the waiting, not the commit.</param>
            /// <exception cref="{{Storage}}">
            /// It could not be written; <see cref="{{Storage}}.MayRetry"/> says whether to try again.
            /// </exception>
            /// <exception cref="global::System.NotSupportedException">The store has no folder.</exception>
            public {{Task}}<{{Names.Faster}}.Commit> CommitAsync(
                {{Names.Faster}}.CommitKind? kind = null,
                bool withIndex = false,
                {{Names.Token}} cancellationToken = default) =>
                _engine.CommitAsync(kind, withIndex, cancellationToken);

            /// <summary>Takes a checkpoint of the index by itself: the commits that follow name it.</summary>
            /// <param name="cancellationToken">Ends the waiting, not the checkpoint.</param>
            /// <exception cref="{{Storage}}">It could not be written.</exception>
            /// <exception cref="global::System.NotSupportedException">The store has no folder.</exception>
            public {{Task}} CheckpointIndexAsync(
                {{Names.Token}} cancellationToken = default) =>
                _engine.CheckpointIndexAsync(cancellationToken);
            """);
        writer.Blank();
    }

    private static void Sessions(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Starts a session, through which all operations go. One whose name was committed goes on from there:
            /// <see cref="Session.RecoveredPoint"/> tells what of it is durable.
            /// </summary>
            /// <param name="name">A name that no open session has, or null for a session that nobody continues.</param>
            /// <exception cref="{{Misuse}}">The name is in use.</exception>
            public Session StartSession(string? name = null) => new Session(_engine.StartSession(name));

            /// <summary>Starts a session whose name is a Guid.</summary>
            /// <param name="id">A Guid that no open session has.</param>
            /// <exception cref="{{Misuse}}">The Guid is in use.</exception>
            public Session StartSession(global::System.Guid id) => new Session(_engine.StartSession(id));

            /// <summary>Continues a session that was committed: it must be known.</summary>
            /// <param name="name">Its name.</param>
            /// <param name="point">What of it is durable: issue again what came after.</param>
            /// <exception cref="{{Misuse}}">The name is in use, or not known.</exception>
            public Session ContinueSession(string name, out {{Names.Faster}}.CommitPoint point) =>
                new Session(_engine.ContinueSession(name, out point));

            /// <summary>Continues a session whose name is a Guid: it must be known.</summary>
            /// <param name="id">Its Guid.</param>
            /// <param name="point">What of it is durable: issue again what came after.</param>
            /// <exception cref="{{Misuse}}">The Guid is in use, or not known.</exception>
            public Session ContinueSession(global::System.Guid id, out {{Names.Faster}}.CommitPoint point) =>
                new Session(_engine.ContinueSession(id, out point));

            /// <summary>Forgets a named session that is not open: later commits do not carry it.</summary>
            /// <param name="name">Its name; of a Guid, its text in the form «D».</param>
            /// <returns>Whether it was known.</returns>
            /// <exception cref="{{Misuse}}">It is open.</exception>
            public bool ForgetSession(string name) => _engine.ForgetSession(name);
            """);
        writer.Blank();
    }

    private static void Numbers(IndentedWriter writer)
    {
        writer.Lines("""
            /// <summary>
            /// The number of the last operation that was accepted: done, or pending. Numbers grow by one with each
            /// operation, reads included, unless <see cref="SetNextSerialNumber"/> or a batch says otherwise.
            /// </summary>
            public long SerialNumber => _session.SerialNumber;

            /// <summary>
            /// Says which number the next operation carries. For callers that count themselves: with the position in
            /// an input as the number, a commit point tells where to go on.
            /// </summary>
            /// <param name="serialNumber">A number above <see cref="SerialNumber"/>.</param>
            /// <exception cref="global::System.ArgumentOutOfRangeException">
            /// The number is not above the last one.
            /// </exception>
            public void SetNextSerialNumber(long serialNumber) => _session.SetNextSerialNumber(serialNumber);
            """);
        writer.Blank();
    }

    private static void Points(IndentedWriter writer)
    {
        const string point = $"{Names.Faster}.CommitPoint";
        writer.Lines($$"""
            /// <summary>
            /// Where the session stood in the commit that the store was opened from: what came after is lost, and is to
            /// be issued again. Serial number 0 for a new session.
            /// </summary>
            public {{point}} RecoveredPoint => _session.RecoveredPoint;

            /// <summary>
            /// The session's point in the last commit; <see cref="RecoveredPoint"/> before the first.
            /// </summary>
            public {{point}} LastCommit => _session.LastCommit;

            /// <summary>
            /// Called with each new commit point, in order, by a thread of the store; must return soon.
            /// </summary>
            public global::System.Action<{{point}}>? OnCommit
            {
                get => _session.OnCommit;
                set => _session.OnCommit = value;
            }

            /// <summary>
            /// Commits the store: all that this session issued before the call is durable then, and maybe more, for the
            /// store chooses the point.
            /// </summary>
            /// <param name="cancellationToken">Ends the waiting, not the commit.</param>
            /// <returns>Up to which serial number this session's operations are durable.</returns>
            /// <exception cref="{{Storage}}">It could not be written; no operation is lost.</exception>
            /// <exception cref="global::System.NotSupportedException">The store has no folder.</exception>
            public {{Names.Task(point)}} CommitAsync(
                {{Names.Token}} cancellationToken = default) =>
                _session.CommitAsync(cancellationToken);

            /// <summary>
            /// The session's commit points as they come, until it is closed. Who is slow misses some, never the last:
            /// each covers what those before it cover.
            /// </summary>
            /// <param name="cancellationToken">Ends the listening.</param>
            public global::System.Collections.Generic.IAsyncEnumerable<{{point}}> CommitPointsAsync(
                {{Names.Token}} cancellationToken = default) =>
                _session.CommitPointsAsync(cancellationToken);
            """);
        writer.Blank();
    }
}
