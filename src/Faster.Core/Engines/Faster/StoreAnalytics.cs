using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Faster.Analytics;
using Faster.Analytics.History;
using Faster.Analytics.Scans;
using Faster.Analytics.Subscriptions;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Log;
using Faster.LogCommits;
using Faster.LogSessions.Pending;

namespace Faster.Engines;

/// <summary>
/// Reads a store's log as a whole while operations continue: scans of live records or of all versions, now or as of a
/// commit, as objects or as bytes; export and import; the history of a key; subscriptions to the tail (paper 000, App.
/// F).
/// </summary>
/// <remarks>
/// Thread-safe, but each enumeration and each transfer has one user. While a caller processes a record, a scan holds no
/// epoch, no latch and no page, but it keeps the disk space of what is truncated meanwhile, until it ends.
/// </remarks>
internal sealed class StoreAnalytics : LogAnalytics
{
    private readonly FasterStore _store;
    private readonly LogSource? _source;
    private readonly ScannedLogs? _logs;
    private readonly LogSubscriptions? _subscriptions;

    internal StoreAnalytics(FasterStore store, CommitCatalog? catalog, HeldSpace? held)
        : base(store.Tier.Schema, () => store.Start(null))
    {
        _store = store;
        if (store.Tier.PagedLog is null) return;
        _source = new LogSource(store.Tier, catalog);
        _logs = new ScannedLogs([_source], held is null ? null : [new KeptLog(_source, held)]);
        _subscriptions = new LogSubscriptions(_source);
    }

    /// <inheritdoc/>
    public override IReadOnlyList<Commit> ScannableCommits => _logs?.Scannable ?? [];

    internal LogSource Source => _source ?? throw new NotSupportedException(
        "A store with the in-memory allocator has no log to read. Open it with the hybrid or the append-only log.");

    /// <summary>Scans the log's live records, or all of its records, whatever is truncated meanwhile.</summary>
    /// <param name="options">The records to scan; null for those that are live now.</param>
    /// <param name="decode">Converts each record to the result.</param>
    /// <param name="cancellationToken">Cancels the scan.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="FasterException">The state as of the commit cannot be reconstructed.</exception>
    /// <exception cref="DamagedDataException">A block on disk, or a snapshot, is damaged.</exception>
    /// <exception cref="NotSupportedException">The store is in memory only.</exception>
    public override IAsyncEnumerable<T> ScanAsync<T>(
        ScanOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken = default)
    {
        options ??= new ScanOptions();
        options.Validate();
        ArgumentNullException.ThrowIfNull(decode);
        LogSource source = Source;
        return options.Scope == ScanScope.All
            ? ScanAllAsync(source, _logs!, options, decode, cancellationToken)
            : LiveScan.OverAsync(
                ct => _logs!.CaptureAsync(options.AsOf, ct), options.TableMemory, decode, cancellationToken);
    }

    /// <inheritdoc/>
    public override IAsyncEnumerable<RecordVersion<T>> HistoryAsync<TKey, T>(
        scoped TKey key, RecordDecoder<T> decode, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(decode);
        ulong hash = key.Hash(_store.Tier.Seed);
        return WalkAsync(Source, CapturedKey.Of(key, hash, default), hash, decode, cancellationToken);
    }

    /// <inheritdoc/>
    public override IAsyncEnumerable<LogEntry<T>> SubscribeAsync<T>(
        SubscribeOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken = default)
    {
        _ = Source;
        return _subscriptions!.SubscribeAsync(options, decode, cancellationToken);
    }

    /// <inheritdoc/>
    /// <exception cref="NotSupportedException">The store is in memory only.</exception>
    public override PipeReader OpenReader(
        ScanOptions? options = null, CancellationToken cancellationToken = default)
    {
        _ = Source;
        return base.OpenReader(options, cancellationToken);
    }

    internal override void OnCommitted(Commit commit, CommitRecord record) => _source?.OnCommitted(commit, record);

    internal override void Close() => _source?.Close();

    private static async IAsyncEnumerable<T> ScanAllAsync<T>(
        LogSource source, ScannedLogs logs, ScanOptions options, RecordDecoder<T> decode,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        ScanPart[] parts = await logs.CaptureAsync(options.AsOf, cancellationToken).ConfigureAwait(false);
        using ScanRange range = parts[0].Range;
        using var cursor = new RecordCursor(source, range);
        for (long from = range.Begin; from < range.End;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            long to = Math.Min(source.Log.PageEndOf(from), range.End);
            await cursor.LoadAsync(source.Log.WalkStartOf(from), to).ConfigureAwait(false);
            while (cursor.MoveNext()) yield return decode(cursor.Current);
            from = to;
        }
    }

    // The history is created here, so that each enumeration has its own.
    private static async IAsyncEnumerable<RecordVersion<T>> WalkAsync<T>(
        LogSource source, CapturedKey key, ulong hash, RecordDecoder<T> decode,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var history = new KeyHistory(source, key, hash);
        await foreach (RecordVersion<T> past in history.RunAsync(decode, cancellationToken).ConfigureAwait(false))
            yield return past;
    }
}
