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
public abstract class CommittingSession : SessionCore, ICommittingSession, IUnitSession
{
    private static readonly CommitPoint AtStart = new(null, 0, 0);

    private CommitFeed? _feed; // once somebody asks for it, or the session has ended
    private CommitPoint? _lastCommit;

    private protected CommittingSession(
        EpochTable epochs, string? name, SessionEntry? entry)
        : base(epochs, name, entry) =>
        RecoveredPoint = entry?.Committed ?? (name is null ? AtStart : new CommitPoint(name, 0, 0));

    /// <summary>The name by which the session is continued after a recovery, or null.</summary>
    public new string? Name => base.Name;

    /// <summary>
    /// The serial number of the last accepted operation, done or pending. Each operation, reads included, increments it
    /// by one, unless <see cref="SetNextSerialNumber"/>, a batch or a unit specifies another number. In a unit, the
    /// number before it.
    /// </summary>
    public long SerialNumber => Gate.Serial;

    /// <summary>
    /// The session's point in the commit from which the store was opened. Operations after it are lost and must be
    /// reissued; so must the operations in <see cref="CommitPoint.Excluded"/>, each under its own number. Its serial
    /// number is 0 for a new session.
    /// </summary>
    public CommitPoint RecoveredPoint { get; private set; }

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
    /// continues from the last number, and later commits do not exclude it. Where each operation is durable, a number
    /// that is far above those that are not durable yet waits until they are: a crash would exclude all between.
    /// </summary>
    /// <param name="serialNumber">
    /// A number above <see cref="SerialNumber"/>, or an excluded number to reissue.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The number is neither above the last one nor an excluded number that has not been reissued.
    /// </exception>
    /// <exception cref="SessionMisuseException">
    /// The session is closed, in a unit, or in use by another call.
    /// </exception>
    public void SetNextSerialNumber(long serialNumber)
    {
        using SessionGate.Call call = BeginCall();
        OnJump(serialNumber);
        Serials.SetNext(serialNumber);
    }

    /// <summary>
    /// Begins a unit: the session's operations up to <see cref="CommitUnit.Complete"/> have one serial number, and a
    /// commit has all of them or none. First completes the session's pending operations; while a commit prepares, waits
    /// for the units that have begun before. Until it ends, it is a call under way: dispose of it in any case.
    /// </summary>
    /// <param name="serialNumber">The number, above <see cref="SerialNumber"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is not above the last one.</exception>
    /// <exception cref="SessionMisuseException">
    /// The session is closed, in a unit already, or in use by another call.
    /// </exception>
    /// <exception cref="FasterException">
    /// An earlier pending operation has failed, or an earlier unit of the session.
    /// </exception>
    public CommitUnit BeginUnit(long serialNumber)
    {
        SessionGate.Call call = BeginCall();
        try
        {
            CompleteAll();
            OnJump(serialNumber);
            Serials.BeginUnit(serialNumber);
            return new CommitUnit(this, serialNumber);
        }
        catch
        {
            call.Dispose();
            throw;
        }
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
    /// <exception cref="SessionMisuseException">
    /// The session is closed, or the caller has a unit of it open.
    /// </exception>
    /// <exception cref="FasterException">A unit of a session has failed.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public Task<CommitPoint> CommitAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfClosed();
        if (Serials.Unit != 0 && Gate.IsHeldHere) SessionMisuse.ThrowInUnit(Name, Serials.Unit);
        if (!Registry.TryAsk(this)) ThrowIfClosed();
        return Registry.PointOfAsync(this, CommitStoreAsync()).OrCanceled(cancellationToken);
    }

    /// <summary>
    /// Returns the session's commit points as they become durable, until the session is closed. A slow consumer may
    /// skip intermediate commit points but always receives the latest, which subsumes earlier ones.
    /// </summary>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    public IAsyncEnumerable<CommitPoint> CommitPointsAsync(CancellationToken cancellationToken = default) =>
        Feed.ReadAsync(cancellationToken);

    /// <inheritdoc/>
    internal override void Deliver(CommitPoint point)
    {
        Volatile.Write(ref _lastCommit, point);
        Volatile.Read(ref _feed)?.Publish(point);
        Committed?.Invoke(point);
    }

    /// <summary>Commits the session's store.</summary>
    private protected abstract Task<Commit> CommitStoreAsync();

    /// <summary>Prepares for a number that need not be the next one; by default there is nothing to prepare.</summary>
    private protected virtual void OnJump(long serialNumber) { }

    /// <summary>
    /// Notes that the open unit is whole, where each operation is durable. By default there is nothing to note.
    /// </summary>
    /// <returns>Ends when the unit is durable.</returns>
    /// <exception cref="FasterException">It can't be noted: the unit has failed.</exception>
    private protected virtual ValueTask OnUnitWhole() => default;

    /// <summary>Assigns the serial numbers of the session's operations.</summary>
    internal abstract SessionSerials Serials { get; }

    /// <inheritdoc/>
    private protected override void ReleaseEngine() =>
        Interlocked.CompareExchange(ref _feed, CommitFeed.Ended, null)?.Close();

    /// <inheritdoc/>
    private protected override bool TryLetGo()
    {
        (Committed, _feed) = (null, CommitFeed.Ended);
        return FailedUnit is null && Serials.TryLetGo();
    }

    /// <inheritdoc/>
    private protected override void BeginAnew()
    {
        base.BeginAnew();
        (Committed, _feed, _lastCommit, RecoveredPoint) = (null, null, null, AtStart);
    }

    private CommitFeed Feed => Volatile.Read(ref _feed)
        ?? Interlocked.CompareExchange(ref _feed, new CommitFeed(), null) ?? _feed;

    void IUnitSession.EndUnit(long serialNumber, bool completes)
    {
        if (!IsInUnit(serialNumber, completes)) return;
        try
        {
            if (completes) CompleteAll();
        }
        catch (Exception e)
        {
            Serials.Spoil(e);
        }

        EndUnit(completes).AsTask().GetAwaiter().GetResult();
    }

    ValueTask IUnitSession.EndUnitAsync(long serialNumber)
    {
        if (IsInUnit(serialNumber, completes: true) && Gate.TryLeaveCall()) return EndLeftUnitAsync();
        ((IUnitSession)this).EndUnit(serialNumber, completes: true);
        return default;
    }

    private async ValueTask EndLeftUnitAsync()
    {
        try
        {
            await CompleteAllAsync().Here();
        }
        catch (Exception e)
        {
            Serials.Spoil(e);
        }

        Gate.ContinueCall();
        await EndUnit(completes: true).Here();
    }

    // The thread that began a unit holds the session until the unit is completed.
    private bool IsInUnit(long serialNumber, bool completes)
    {
        bool isInUnit = Gate.IsHeldHere && Serials.Unit == serialNumber;
        if (!isInUnit && completes) SessionMisuse.ThrowInUnit(Name, 0);
        return isInUnit;
    }

    // The session is free for the next call when this returns, and the unit durable when the result has ended.
    private ValueTask EndUnit(bool completes)
    {
        ValueTask durable = default;
        try
        {
            if (completes && Serials.IsWhole) durable = OnUnitWhole();
        }
        catch (FasterException e)
        {
            Serials.Spoil(e);
        }

        Exception? failure = Serials.EndUnit(completes);
        Gate.EndCall();
        return completes && failure is not null ? throw failure : durable;
    }
}
