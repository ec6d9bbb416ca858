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
    IEngineStore<TSession, TransactionalOptions>, IScanStore<TRecord>
    where TSession : TransactionalSession
{
    /// <summary>Creates the store.</summary>
    /// <param name="start">What its opening hands to it.</param>
    protected TransactionalStore(TransactionalStart start)
        : base(start)
    {
    }

    /// <inheritdoc/>
    public new TSession StartSession() => (TSession)base.StartSession();

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

    private protected sealed override TransactionalSession MakeSession(SessionEntry entry) =>
        MakeSession(new SessionStart(this, null, entry));
}
