using System.ComponentModel;
using Faster.Contracts;
using Faster.Sessions;
using Faster.Stores;

namespace Faster.Engines.Transactional;

/// <summary>A transactional store with the types of emitted code.</summary>
/// <typeparam name="TSession">The emitted session.</typeparam>
/// <typeparam name="TRecord">The emitted record.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class TransactionalStore<TSession, TRecord> : TransactionalStore,
    IEngineStore<TSession, TransactionalOptions>, ICommitStore<TSession>, IScanStore<TRecord>,
    ICommitScanStore
    where TSession : TransactionalSession
{
    /// <summary>Creates the store.</summary>
    /// <param name="start">What its opening hands to it.</param>
    protected TransactionalStore(TransactionalStart start)
        : base(start)
    {
    }

    /// <inheritdoc/>
    public new TSession StartSession(string? name = null) => (TSession)base.StartSession(name);

    /// <inheritdoc/>
    public TSession StartSession(Guid id) => StartSession(id.ToString("D"));

    /// <inheritdoc/>
    public new TSession ContinueSession(string name, out CommitPoint point) =>
        (TSession)base.ContinueSession(name, out point);

    /// <inheritdoc/>
    public TSession ContinueSession(Guid id, out CommitPoint point) =>
        ContinueSession(id.ToString("D"), out point);

    /// <inheritdoc/>
    public IAsyncEnumerable<TRecord> ScanAsync(
        ScanOptions? options = null, CancellationToken cancellationToken = default) =>
        Analytics.ScanAsync(options, MakeRecord, cancellationToken);

    /// <summary>Makes a session of the emitted type.</summary>
    /// <param name="start">What the store hands to it.</param>
    protected abstract TSession MakeSession(SessionStart start);

    /// <summary>Makes a record of the emitted type.</summary>
    /// <param name="record">The record's bytes.</param>
    protected abstract TRecord MakeRecord(RecordView record);

    private protected sealed override TransactionalSession MakeSession(string? name, SessionEntry entry) =>
        MakeSession(new SessionStart(this, name, entry));

    TSession IEngineStore<TSession, TransactionalOptions>.StartSession() => StartSession();
}
