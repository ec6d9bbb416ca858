using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes what a store and its sessions have in an engine that commits: commits, recovery, sessions by name, serial
/// numbers and commit points.
/// </summary>
internal static class CommitEmitter
{
    private const string Misuse = $"{Names.Faster}.SessionMisuseException";
    private const string Storage = $"{Names.Faster}.StorageException";
    private const string Task = "global::System.Threading.Tasks.Task";

    /// <summary>Writes the method that opens a store from an existing commit.</summary>
    public static void Recover(IndentedWriter writer, StoreModel store)
    {
        string options = store.Engine.Options;
        writer.Lines($$"""
            /// <summary>Recovers the store from the last commit in a folder, which must have one.</summary>
            /// <param name="path">The folder of the store.</param>
            /// <param name="options">The options, or null for the defaults.</param>
            /// <param name="progress">Receives the progress of the recovery on threads of the store; or null.</param>
            /// <param name="cancellationToken">Cancels the recovery, which changes nothing in the folder.</param>
            /// <exception cref="global::System.ArgumentOutOfRangeException">An option is out of range.</exception>
            /// <exception cref="{{Names.Faster}}.StoreOpenException">
            /// The folder has no commit or cannot be used, or the options conflict; the message says why.
            /// </exception>
            /// <exception cref="{{Names.Faster}}.DamagedDataException">
            /// Data in the folder is damaged; the message names the file and the byte offset.
            /// </exception>
            {{Names.GeneratedCode}}
            {{store.Accessibility}} static async {{Names.Task("Store")}} RecoverAsync(
                string path,
                {{options}}? options = null,
                global::System.IProgress<{{Names.Faster}}.RecoveryProgress>? progress = null,
                {{Names.Token}} cancellationToken = default)
            {
                {{store.Engine.Store}} engine =
                    await {{store.Engine.Store}}
                    .RecoverAsync(path, options ?? new {{options}}(), Schema, progress, cancellationToken)
                    .ConfigureAwait(false);
                return new Store(engine);
            }
            """);
        writer.Blank();
    }

    /// <summary>Writes the store's members: what was recovered, and the event of commits.</summary>
    public static void Recovered(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>What opening the store has recovered; null if there was no commit.</summary>
            public {{Names.Faster}}.RecoveryReport? Recovery => _engine.Recovery;

            /// <summary>
            /// Raised after each commit, in order, on a thread of the store. Handlers must return quickly.
            /// </summary>
            public event global::System.Action<{{Names.Faster}}.Commit>? Committed
            {
                add => _engine.Committed += value;
                remove => _engine.Committed -= value;
            }
            """);
        writer.Blank();
    }

    /// <summary>Writes the store's members: commits, and sessions by name.</summary>
    public static void Store(IndentedWriter writer, EngineModel engine)
    {
        if (engine.Has(Capabilities.LogCommits)) LogCommitEmitter.Emit(writer, engine);
        else Commits(writer);
        Sessions(writer);
    }

    /// <summary>Writes the session's name.</summary>
    public static void Name(IndentedWriter writer)
    {
        writer.Lines("/// <summary>The name by which the session is continued after a recovery, or null.</summary>");
        writer.Lines("public string? Name => _session.Name;");
        writer.Blank();
    }

    /// <summary>Writes the session's members: its serial numbers and its commit points.</summary>
    public static void Session(IndentedWriter writer)
    {
        Numbers(writer);
        Points(writer);
    }

    /// <summary>Writes the documentation of the last parameter of a batch.</summary>
    public static void SerialNumberDocs(IndentedWriter writer) => writer.Lines("""
        /// <param name="serialNumber">
        /// One serial number for the whole batch, above <see cref="SerialNumber"/>, so that a commit covers all of it
        /// or nothing. Null: each operation gets a number of its own.
        /// </param>
        """);

    private static void Commits(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Commits: makes all operations before the call durable, while operations continue. Completes immediately
            /// if nothing has changed since the last commit.
            /// </summary>
            /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
            /// <exception cref="{{Storage}}">
            /// The commit could not be written. <see cref="{{Storage}}.MayRetry"/> says whether it can be retried; if
            /// not, the store takes no more updates.
            /// </exception>
            /// <exception cref="global::System.NotSupportedException">The store has no folder.</exception>
            public {{Task}}<{{Names.Faster}}.Commit> CommitAsync({{Names.Token}} cancellationToken = default) =>
                _engine.CommitAsync(cancellationToken);
            """);
        writer.Blank();
    }

    private static void Sessions(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// Starts a session; all operations go through sessions. If a session of this name was committed, it is
            /// continued from its commit point, <see cref="Session.RecoveredPoint"/>.
            /// </summary>
            /// <param name="name">
            /// A name that no open session has, or null for a session that cannot be continued.
            /// </param>
            /// <exception cref="{{Misuse}}">The name is in use.</exception>
            /// <exception cref="global::System.ObjectDisposedException">The store is closed.</exception>
            public Session StartSession(string? name = null) => new Session(_engine.StartSession(name));

            /// <summary>Starts a session whose name is a Guid, and continues it if it was committed.</summary>
            /// <param name="id">A Guid that no open session has.</param>
            /// <exception cref="{{Misuse}}">The Guid is in use.</exception>
            public Session StartSession(global::System.Guid id) => new Session(_engine.StartSession(id));

            /// <summary>Continues a session that was committed. Fails if the name is unknown.</summary>
            /// <param name="name">The session's name.</param>
            /// <param name="point">The session's commit point. Reissue all operations after it.</param>
            /// <exception cref="{{Misuse}}">The name is in use, or unknown.</exception>
            public Session ContinueSession(string name, out {{Names.Faster}}.CommitPoint point) =>
                new Session(_engine.ContinueSession(name, out point));

            /// <summary>Continues a session whose name is a Guid. Fails if the Guid is unknown.</summary>
            /// <param name="id">The session's Guid.</param>
            /// <param name="point">The session's commit point. Reissue all operations after it.</param>
            /// <exception cref="{{Misuse}}">The Guid is in use, or unknown.</exception>
            public Session ContinueSession(global::System.Guid id, out {{Names.Faster}}.CommitPoint point) =>
                new Session(_engine.ContinueSession(id, out point));

            /// <summary>Forgets a named session that is not open. Later commits do not include it.</summary>
            /// <param name="name">The session's name; for a Guid, its text in the format "D".</param>
            /// <returns>Whether the session was known.</returns>
            /// <exception cref="{{Misuse}}">The session is open.</exception>
            public bool ForgetSession(string name) => _engine.ForgetSession(name);
            """);
        writer.Blank();
    }

    private static void Numbers(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>
            /// The serial number of the last accepted operation, done or pending. Each operation, reads included,
            /// increments it by one, unless <see cref="SetNextSerialNumber"/> or a batch specifies another number.
            /// </summary>
            public long SerialNumber => _session.SerialNumber;

            /// <summary>
            /// Sets the serial number of the next operation, for callers that assign numbers themselves. If the number
            /// is a position in an input, a commit point is the position from which to resume. A number that
            /// <see cref="{{Names.Faster}}.CommitPoint.Excluded"/> of <see cref="RecoveredPoint"/> lists reissues that
            /// operation; numbering then continues from the last number.
            /// </summary>
            /// <param name="serialNumber">
            /// A number above <see cref="SerialNumber"/>, or an excluded number to reissue.
            /// </param>
            /// <exception cref="global::System.ArgumentOutOfRangeException">
            /// The number is neither above the last one nor an excluded number that has not been reissued.
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
            /// The session's point in the commit from which the store was opened. Operations after it are lost and must
            /// be reissued. Its serial number is 0 for a new session.
            /// </summary>
            public {{point}} RecoveredPoint => _session.RecoveredPoint;

            /// <summary>
            /// The session's point in the last commit; <see cref="RecoveredPoint"/> before the first commit.
            /// </summary>
            public {{point}} LastCommit => _session.LastCommit;

            /// <summary>
            /// Raised with each new commit point, in order, on a thread of the store. Handlers must return quickly; an
            /// exception that a handler throws becomes the store's last fault.
            /// </summary>
            public event global::System.Action<{{point}}>? Committed
            {
                add => _session.Committed += value;
                remove => _session.Committed -= value;
            }

            /// <summary>
            /// Commits the store. All operations that this session issued before the call become durable, and possibly
            /// later ones, because the store chooses the commit point.
            /// </summary>
            /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
            /// <returns>
            /// The commit point: the serial number up to which this session's operations are durable.
            /// </returns>
            /// <exception cref="{{Storage}}">The commit could not be written; no operation is lost.</exception>
            /// <exception cref="global::System.NotSupportedException">The store has no folder.</exception>
            public {{Task}}<{{point}}> CommitAsync(
                {{Names.Token}} cancellationToken = default) =>
                _session.CommitAsync(cancellationToken);

            /// <summary>
            /// Returns the session's commit points as they become durable, until the session is closed. A slow consumer
            /// may skip intermediate commit points but always receives the latest, which subsumes earlier ones.
            /// </summary>
            /// <param name="cancellationToken">Ends the enumeration.</param>
            public global::System.Collections.Generic.IAsyncEnumerable<{{point}}> CommitPointsAsync(
                {{Names.Token}} cancellationToken = default) =>
                _session.CommitPointsAsync(cancellationToken);
            """);
        writer.Blank();
    }
}
