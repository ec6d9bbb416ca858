using System.ComponentModel;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Opening;
using Faster.Sessions;
using Faster.Stores;

namespace Faster.Engines;

/// <summary>A FASTER store with the types of emitted code.</summary>
/// <typeparam name="TSession">The emitted session.</typeparam>
/// <typeparam name="TRecord">The emitted record.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class FasterStore<TSession, TRecord> : FasterStore, IEngineStore<TSession, StoreOptions>,
    ICommitStore<TSession>, IScanStore<TRecord>, ICommitScanStore, ISubscriptionStore<TRecord>, IHistoryStore<TRecord>,
    ILogStore<TRecord>
    where TSession : FasterSession
{
    /// <summary>Creates the store.</summary>
    /// <param name="start">What its opening hands to it.</param>
    protected FasterStore(StoreStart start)
        : base(start.Plan, start.Progress, start.Ct)
    {
    }

    /// <inheritdoc/>
    public new TSession StartSession(string? name = null) => (TSession)Start(name);

    /// <inheritdoc/>
    public TSession StartSession(Guid id) => StartSession(id.ToString("D"));

    /// <inheritdoc/>
    public new TSession ContinueSession(string name, out CommitPoint point) =>
        (TSession)Continue(name, out point);

    /// <inheritdoc/>
    public TSession ContinueSession(Guid id, out CommitPoint point) =>
        ContinueSession(id.ToString("D"), out point);

    /// <inheritdoc/>
    public IAsyncEnumerable<TRecord> ScanAsync(
        ScanOptions? options = null, CancellationToken cancellationToken = default) =>
        Analytics.ScanAsync(options, MakeRecord, cancellationToken);

    /// <inheritdoc/>
    public IAsyncEnumerable<LogEntry<TRecord>> SubscribeAsync(
        SubscribeOptions? options = null, CancellationToken cancellationToken = default) =>
        Analytics.SubscribeAsync(options, MakeRecord, cancellationToken);

    /// <inheritdoc/>
    public IEnumerable<TRecord> Scan()
    {
        using LogScan scan = ScanLog();
        while (scan.MoveNext()) yield return MakeRecord(scan.Current);
    }

    /// <inheritdoc cref="IHistoryStore{TRecord}.HistoryAsync"/>
    protected IAsyncEnumerable<RecordVersion<TRecord>> HistoryAsync<TKey>(
        scoped TKey key, CancellationToken cancellationToken)
        where TKey : struct, IKey, allows ref struct => Analytics.HistoryAsync(key, MakeRecord, cancellationToken);

    /// <summary>Makes a session of the emitted type.</summary>
    /// <param name="start">What the store hands to it.</param>
    protected abstract TSession MakeSession(SessionStart start);

    /// <summary>Makes a record of the emitted type.</summary>
    /// <param name="record">The record's bytes.</param>
    protected abstract TRecord MakeRecord(RecordView record);

    private protected sealed override FasterSession MakeSession(string? name, SessionEntry entry) =>
        MakeSession(new SessionStart(this, name, entry));

    TSession IEngineStore<TSession, StoreOptions>.StartSession() => StartSession();

    IAsyncEnumerable<RecordVersion<TRecord>> IHistoryStore<TRecord>.HistoryAsync<TKey>(
        scoped TKey key, CancellationToken cancellationToken) => HistoryAsync(key, cancellationToken);
}
