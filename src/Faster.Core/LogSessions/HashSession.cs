using System.ComponentModel;
using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Index.Entries;
using Faster.Log.InMemory;
using Faster.Operations;
using Faster.Operations.Journaling;
using Faster.Sessions;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.LogSessions;

/// <summary>
/// A logical client of a store: it issues operations one after another, while earlier ones may be pending (paper 000
/// §2.2, §2.5).
/// </summary>
/// <remarks>
/// An operation announces its epoch on entry, and leaves it before it returns or waits. Calls of a session must not
/// overlap: <see cref="SessionCore"/> says what is checked. Operations work on the store's first tier, whose
/// index is a hash index in memory; a search that ends there goes on in the tier below, if the store has one.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract partial class HashSession : LogSession
{
    private readonly Attempt _attempt;
    private readonly BatchRunner _batches;
    private OperationRunner? _below;

    private protected unsafe HashSession(LogStoreCore core, string? name, SessionEntry? entry)
        : base(core, name, entry)
    {
        Tier tier = Core.Tiers[0];
        _attempt = new Attempt(tier, new SessionClock(Core.Clock), tier.Log.Splices ? new FreeLists() : null)
        {
            Entry = Core.Journal is { } journal ? new JournalEntry(journal) : null,
        };
        Runner = new OperationRunner(this, _attempt);
        _batches = new BatchRunner(this);
        QuietView.Of(Slot)->Begin(tier);
        if (entry is null) TimeToLive = Core.Options.TimeToLive;
    }

    /// <summary>
    /// Time to live of records written by subsequent operations, restarted by each write. <c>TimeSpan.Zero</c> means
    /// that they never expire. Initially <see cref="LogStoreOptions.TimeToLive"/>. A pending operation keeps the value
    /// with which it started.
    /// </summary>
    /// <remarks>
    /// If it is <c>TimeSpan.Zero</c>, a read-modify-write keeps the record's expiry, and an upsert removes it. The
    /// first time to live that is set in a store waits for calls in progress in other sessions, so it must not be set
    /// in a user function.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    public TimeSpan TimeToLive
    {
        get
        {
            TimeSpan life = _attempt.Clock.TimeToLive;
            ThrowIfClosed();
            return life;
        }
        set
        {
            using SessionGate.Call call = BeginCall();
            _attempt.Clock.SetOwn(value, Epochs.SafeAsync);
            Runner.ForgetQuiet(); // how hits are tried depends on it
        }
    }

    /// <summary>Begins with the store's time to live, unless a session that has ended has left that.</summary>
    internal void BeginLife(TimeSpan life)
    {
        if (!_attempt.Clock.HasOwn(life)) TimeToLive = life;
    }

    /// <summary>Sets how long lives what the session writes. Called between its calls.</summary>
    internal void SetLife(Lifetime life)
    {
        _attempt.Clock.SetOwn(life, Epochs.SafeAsync);
        Runner.ForgetQuiet(); // how hits are tried depends on it
    }

    internal override SessionSerials Serials => Runner.Serials;
    internal override Lifetime Life => _attempt.Clock.Own;
    internal Attempt Attempt => _attempt;
    internal OperationRunner Runner { get; }
    internal FreeLists? FreeLists => _attempt.FreeLists;

    /// <summary>Reads a value. If its record is on disk, the operation becomes pending.</summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    protected internal Status Read<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation =>
        Execute<ReadAlgorithm<HashEntries, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Replaces a value blindly, or inserts it. May wait, outside of every epoch, for space in the log.
    /// </summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The record is too large, or memory is used up.</exception>
    /// <exception cref="StorageException">The log's memory is full and cannot be written to disk.</exception>
    protected internal Status Upsert<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation =>
        Execute<UpsertAlgorithm<HashEntries, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Updates a value by the user's functions. If its record is on disk, the operation becomes pending. May wait,
    /// outside of every epoch, for space in the log.
    /// </summary>
    /// <returns>
    /// <see cref="Status.Created"/> if the key had no live record, <see cref="Status.Ok"/> if its record was updated,
    /// or <see cref="Status.Pending"/>.
    /// </returns>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The record is too large, or memory is used up.</exception>
    /// <exception cref="StorageException">The log's memory is full and cannot be written to disk.</exception>
    protected internal Status Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation =>
        Execute<RmwAlgorithm<HashEntries, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Deletes a key. Returns <see cref="Status.NotFound"/> only if the key is known not to exist; the disk is not
    /// searched for an older record.
    /// </summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="StorageException">The log's memory is full and cannot be written to disk.</exception>
    protected internal Status Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation =>
        Execute<DeleteAlgorithm<HashEntries, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Reads many values with few epoch announcements and with prefetching; returns when all are read.
    /// </summary>
    /// <param name="batch">The operations.</param>
    /// <param name="serialNumber">
    /// One serial number for the whole batch, above <see cref="CommittingSession.SerialNumber"/>, so that a commit
    /// covers all of it or nothing. Null: each operation gets a number of its own.
    /// </param>
    protected internal void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<ReadAlgorithm<HashEntries, TOperation>, TKey, TOperation, TBatch>(this, ref batch, serialNumber);

    /// <summary>
    /// Upserts many values with few epoch announcements. A user function that throws ends the batch at its operation.
    /// </summary>
    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    protected internal void UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<UpsertAlgorithm<HashEntries, TOperation>, TKey, TOperation, TBatch>(this, ref batch, serialNumber);

    /// <summary>
    /// Updates many values with few epoch announcements. A user function that throws ends the batch at its operation.
    /// </summary>
    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    protected internal void RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<RmwAlgorithm<HashEntries, TOperation>, TKey, TOperation, TBatch>(this, ref batch, serialNumber);

    /// <summary>Deletes many keys with few epoch announcements.</summary>
    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    protected internal void DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<DeleteAlgorithm<HashEntries, TOperation>, TKey, TOperation, TBatch>(this, ref batch, serialNumber);

    // Only sessions of the store's own work in the tier below.
    internal override OperationRunner RunnerOf(Tier tier) => tier == _attempt.Tier
        ? Runner
        : _below ??= new OperationRunner(this, new Attempt(tier, _attempt.Clock, freeLists: null));

    private protected override ValueTask OnUnitWhole() => Runner.Acknowledgment?.PublishUnitEnd() ?? default;

    private protected override Task<Commit> CommitStoreAsync() =>
        Core.RequireCoordinator().RequestAsync(Core.Options.CommitKind, withIndex: false);

    private protected override void ReleaseEngine()
    {
        base.ReleaseEngine();
        _attempt.Cache.Retire();
        if (FreeLists is not null) ((InMemoryAllocator)_attempt.Log).Adopt(FreeLists);
    }

    private protected override bool TryLetGo()
    {
        _batches.LetGo();
        _attempt.Deltas.Clear();
        _attempt.Buffer.Trim();
        _attempt.Large.Drop();
        _attempt.Entry?.Trim();
        return base.TryLetGo();
    }

    private protected override unsafe void BeginAnew()
    {
        base.BeginAnew();
        _below = null;
        Runner.Serve(this);
        _batches.Serve(this);
        _attempt.Cache.BeginAnew();
        QuietView.Of(Slot)->Begin(_attempt.Tier);
    }
}
