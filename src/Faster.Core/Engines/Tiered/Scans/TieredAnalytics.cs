using System.Runtime.CompilerServices;
using Faster.Analytics;
using Faster.Analytics.Scans;
using Faster.Analytics.Subscriptions;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.LogCommits;
using Faster.LogSessions.Pending;

namespace Faster.Engines.Tiered.Scans;

/// <summary>
/// Scans, export, import and subscriptions of a tiered store while operations continue and records move.
/// </summary>
/// <remarks>
/// <para>A scan returns each key once, with a value that it had at some moment between the scan's start and its first
/// record. It begins by making both logs immutable up to their tails. While its caller looks at a record it holds no
/// epoch and no latch, but it keeps the disk space of what compaction truncates meanwhile, until it ends.</para>
/// <para>A scan as of a commit returns exactly what the commit covers. It reads what the last two commits hold on the
/// devices, and keeps it there until the scan ends. It makes nothing immutable.</para>
/// <para>A subscription follows the hot log, in which everything is written. It holds nothing: what is truncated before
/// it arrives is a gap.</para>
/// <para>Thread-safe, but each enumeration and each transfer has one user.</para>
/// </remarks>
internal sealed class TieredAnalytics : LogAnalytics
{
    private readonly TieredStore _store;
    private readonly LogSubscriptions _subscriptions;
    private readonly ScannedLogs _logs;

    internal TieredAnalytics(TieredStore store, CommitCatalog? catalog, HeldSpace? hotSpace, HeldSpace? coldSpace)
        : base(store.Hot.Schema, () => store.Start(null))
    {
        _store = store;
        Hot = new LogSource(store.Hot, catalog);
        Cold = new LogSource(store.Cold, catalog, StoreFileNames.ColdLog);
        KeptLog[]? kept = hotSpace is null || coldSpace is null ? null : [new(Hot, hotSpace), new(Cold, coldSpace)];
        _logs = new ScannedLogs([Hot, Cold], kept);
        _subscriptions = new LogSubscriptions(Hot);
    }

    /// <inheritdoc/>
    public override IReadOnlyList<Commit> ScannableCommits => _logs.Scannable;

    internal LogSource Hot { get; }

    internal LogSource Cold { get; }

    /// <summary>Scans the live records of both tiers, those of now or those of a commit.</summary>
    /// <param name="options">The commit, and the memory of the scan; null for the defaults.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="cancellationToken">Cancels the scan.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="NotSupportedException">The options ask for older records.</exception>
    /// <exception cref="FasterException">The state as of the commit cannot be reconstructed.</exception>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="StorageException">The disk cannot be read.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public override IAsyncEnumerable<T> ScanAsync<T>(
        ScanOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken = default)
    {
        options ??= new ScanOptions();
        options.Validate();
        ArgumentNullException.ThrowIfNull(decode);
        if (options.Scope == ScanScope.All)
        {
            throw new NotSupportedException(
                "The engine F2 moves records between two logs, so it can't scan older records in the order in which "
                + "they were written. Scan with ScanScope.Live, or choose the engine FASTER.");
        }

        return LiveScan.OverAsync(
            ct => _logs.CaptureAsync(options.AsOf, ct), options.TableMemory, decode, cancellationToken);
    }

    /// <inheritdoc/>
    public override IAsyncEnumerable<LogEntry<T>> SubscribeAsync<T>(
        SubscribeOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken = default) =>
        _subscriptions.SubscribeAsync(options, decode, cancellationToken);

    /// <inheritdoc/>
    public override IAsyncEnumerable<RecordVersion<T>> HistoryAsync<TKey, T>(
        scoped TKey key, RecordDecoder<T> decode, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(decode);
        ulong hash = key.Hash(_store.Hot.Seed);
        return WalkAsync(CapturedKey.Of(key, hash, default), hash, decode, cancellationToken);
    }

    // A commit that is found in the hot log is found in the cold one, too.
    internal override void OnCommitted(Commit commit, CommitRecord record)
    {
        Cold.OnCommitted(commit, record);
        Hot.OnCommitted(commit, record);
    }

    internal override void Close()
    {
        Hot.Close();
        Cold.Close();
    }

    private async IAsyncEnumerable<RecordVersion<T>> WalkAsync<T>(
        CapturedKey key, ulong hash, RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken ct)
    {
        using var history = new TieredHistory(Hot, Cold, _store.Moved, key, hash);
        await Task.Run(history.Capture, ct).ConfigureAwait(false);
        await foreach (RecordVersion<T> past in history.RunAsync(decode, ct).ConfigureAwait(false)) yield return past;
    }
}
