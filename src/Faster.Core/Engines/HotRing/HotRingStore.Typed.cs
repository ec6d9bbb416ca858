using System.ComponentModel;
using Faster.Contracts;
using Faster.Sessions;
using Faster.Stores;

namespace Faster.Engines.HotRing;

/// <summary>A HotRing store with the types of emitted code.</summary>
/// <typeparam name="TSession">The emitted session.</typeparam>
/// <typeparam name="TRecord">The emitted record.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class HotRingStore<TSession, TRecord> : HotRingStore, IEngineStore<TSession, HotRingOptions>,
    IScanStore<TRecord>
    where TSession : HotRingSession
{
    /// <summary>Creates the store.</summary>
    /// <param name="start">What its opening hands to it.</param>
    protected HotRingStore(HotRingStart start)
        : base(start.Options, start.Schema)
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

    private protected sealed override HotRingSession MakeSession(SessionEntry entry) =>
        MakeSession(new SessionStart(this, null, entry));
}
