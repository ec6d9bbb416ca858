using System.ComponentModel;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Threads;

namespace Faster.Sessions;

/// <summary>
/// What the sessions of all stores that commit have: a name, serial numbers and commit points (paper 004 §2).
/// </summary>
/// <remarks>
/// Invariant: the last serial number never falls; commit points are at or below it, and never fall either.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class CommittingSession : SessionCore, ICommittingSession
{
    private readonly CommitFeed _feed = new();
    private CommitPoint? _lastCommit;

    private protected CommittingSession(
        EpochTable epochs, SessionRegistry registry, string? name, SessionEntry? entry)
        : base(epochs, registry, name, entry) =>
        RecoveredPoint = entry?.Committed ?? new CommitPoint(name, 0, 0);

    /// <summary>The name by which the session is continued after a recovery, or null.</summary>
    public new string? Name => base.Name;

    /// <summary>
    /// The serial number of the last accepted operation, done or pending. Each operation, reads included, increments it
    /// by one, unless <see cref="SetNextSerialNumber"/> or a batch specifies another number.
    /// </summary>
    public long SerialNumber => Gate.Serial;

    /// <summary>
    /// The session's point in the commit from which the store was opened. Operations after it are lost and must be
    /// reissued; so must the operations in <see cref="CommitPoint.Excluded"/>, each under its own number. Its serial
    /// number is 0 for a new session.
    /// </summary>
    public CommitPoint RecoveredPoint { get; }

    /// <summary>The session's point in the last commit; <see cref="RecoveredPoint"/> before the first commit.</summary>
    public CommitPoint LastCommit => Volatile.Read(ref _lastCommit) ?? RecoveredPoint;

    /// <summary>
    /// Raised with each new commit point, in order, on a thread of the store. Handlers must return quickly; an
    /// exception that a handler throws becomes the store's last fault.
    /// </summary>
    public event Action<CommitPoint>? Committed;

    /// <summary>
    /// Sets the serial number of the next operation, for callers that assign numbers themselves. If the number is a
    /// position in an input, a commit point is the position from which to resume. A number that
    /// <see cref="CommitPoint.Excluded"/> of <see cref="RecoveredPoint"/> lists reissues that operation; numbering then
    /// continues from the last number, and later commits do not exclude it.
    /// </summary>
    /// <param name="serialNumber">
    /// A number above <see cref="SerialNumber"/>, or an excluded number to reissue.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The number is neither above the last one nor an excluded number that has not been reissued.
    /// </exception>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    public void SetNextSerialNumber(long serialNumber)
    {
        using SessionGate.Call call = BeginCall();
        Serials.SetNext(serialNumber);
    }

    /// <summary>
    /// Commits the store. All operations that this session issued before the call become durable, and possibly later
    /// ones, because the store chooses the commit point (paper 004 §2). The session may be closed meanwhile.
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait, not the commit.</param>
    /// <returns>
    /// The commit point: the serial number up to which this session's operations are durable.
    /// </returns>
    /// <exception cref="StorageException">The commit could not be written; no operation is lost.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task<CommitPoint> CommitAsync(CancellationToken cancellationToken = default) =>
        Registry.PointOfAsync(this, CommitStoreAsync()).OrCanceled(cancellationToken);

    /// <summary>
    /// Returns the session's commit points as they become durable, until the session is closed. A slow consumer may
    /// skip intermediate commit points but always receives the latest, which subsumes earlier ones.
    /// </summary>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    public IAsyncEnumerable<CommitPoint> CommitPointsAsync(CancellationToken cancellationToken = default) =>
        _feed.ReadAsync(cancellationToken);

    /// <inheritdoc/>
    internal override void Deliver(CommitPoint point)
    {
        Volatile.Write(ref _lastCommit, point);
        _feed.Publish(point);
        Committed?.Invoke(point);
    }

    /// <summary>Commits the session's store.</summary>
    private protected abstract Task<Commit> CommitStoreAsync();

    /// <summary>Assigns the serial numbers of the session's operations.</summary>
    internal abstract SessionSerials Serials { get; }

    /// <inheritdoc/>
    private protected override void ReleaseEngine() => _feed.Close();
}
