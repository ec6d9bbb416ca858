using System.ComponentModel;
using System.Runtime.CompilerServices;
using Faster.Analytics;
using Faster.Analytics.Scans;
using Faster.Analytics.Subscriptions;
using Faster.Analytics.Transfer;
using Faster.Checkpoints;
using Faster.Contracts;

namespace Faster.Tiered.Scans;

/// <summary>
/// Scans, export, import and subscriptions of a tiered store while operations continue and records move. Emitted code
/// wraps it in the store's own types.
/// </summary>
/// <remarks>
/// <para>A scan returns each key once, with a value that it had at some moment between the scan's start and its first
/// record. It begins by making both logs immutable up to their tails. While its caller looks at a record it holds no
/// epoch and no latch, but it keeps the disk space of what compaction truncates meanwhile, until it ends.</para>
/// <para>A subscription follows the hot log, in which everything is written. It holds nothing: what is truncated before
/// it arrives is a gap.</para>
/// <para>Thread-safe, but each enumeration and each transfer has one user.</para>
/// </remarks>
/// <typeparam name="TProbe">A test's probe, or <see cref="NoProbe"/>.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class TieredAnalytics<TProbe> : StoreScans, ILogSubscriptions
    where TProbe : struct, IProbe
{
    private readonly TieredStore<TProbe> _store;
    private readonly LogSubscriptions<TProbe> _subscriptions;

    internal TieredAnalytics(TieredStore<TProbe> store, CommitCatalog? catalog)
        : base(store.Hot.Schema)
    {
        _store = store;
        (Hot, Cold) = (new LogSource<TProbe>(store.Hot, catalog), new(store.Cold, Catalog: null));
        _subscriptions = new LogSubscriptions<TProbe>(Hot);
    }

    internal LogSource<TProbe> Hot { get; }

    internal LogSource<TProbe> Cold { get; }

    /// <summary>Scans the live records of both tiers.</summary>
    /// <param name="options">The memory of the scan; null for the defaults.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="cancellationToken">Cancels the scan.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="NotSupportedException">The options ask for older records, or for those of a commit.</exception>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="StorageException">The disk cannot be read.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public override IAsyncEnumerable<T> ScanAsync<T>(
        ScanOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken = default)
    {
        options ??= new ScanOptions();
        options.Validate();
        ArgumentNullException.ThrowIfNull(decode);
        if (options is { Scope: ScanScope.All } or { AsOf: not null })
        {
            throw new NotSupportedException(
                "The engine F2 moves records between two logs, so it can't scan older records in the order in which "
                + "they were written, or the state as of a commit. Scan with ScanScope.Live and without AsOf, or "
                + "choose the engine FASTER.");
        }

        return ScanLiveAsync(options.TableMemory, decode, cancellationToken);
    }

    /// <summary>
    /// Follows the hot log's tail. Returns each record once it is immutable, in the order in which records were
    /// written. What compaction moves is not returned again.
    /// </summary>
    /// <param name="options">Where to start and which records to return; null for records from now on.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="cancellationToken">Cancels the subscription.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="ArgumentException">
    /// Thrown during enumeration: no record of the store ends at the start address.
    /// </exception>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="NotSupportedException">
    /// Only committed records are requested, and the store has no folder.
    /// </exception>
    public IAsyncEnumerable<LogEntry<T>> SubscribeAsync<T>(
        SubscribeOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken = default) =>
        _subscriptions.SubscribeAsync(options, decode, cancellationToken);

    internal void OnCommitted(Commit commit, CommitRecord record) => Hot.OnCommitted(commit, record);

    internal void Close()
    {
        Hot.Close();
        Cold.Close();
    }

    private protected override async Task<long> ImportAsync<TLayout>(
        ExportReader reader, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        TieredSession<TProbe> session = _store.StartSession();
        await using (session.ConfigureAwait(false))
        {
            return await SessionImport<TProbe>.RunAsync<TieredSession<TProbe>, TLayout>(
                session, Schema, reader, progress, cancellationToken).ConfigureAwait(false);
        }
    }

    private async IAsyncEnumerable<T> ScanLiveAsync<T>(
        ByteSize tableMemory, RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        ScanPart<TProbe>[] parts = await TieredScanRange.CaptureAsync(
            Hot, Cold, (source, end) => source.ImmutableAsync(end, cancellationToken)).ConfigureAwait(false);
        using ScanRange hot = parts[0].Range, cold = parts[1].Range;
        using var scan = new LiveScan<TProbe>(parts, tableMemory);
        await foreach (T item in scan.RunAsync(decode, cancellationToken).ConfigureAwait(false)) yield return item;
    }
}
