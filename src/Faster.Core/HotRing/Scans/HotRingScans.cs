using System.ComponentModel;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Faster.Analytics.Transfer;
using Faster.Contracts;

namespace Faster.HotRing.Scans;

/// <summary>
/// Scans, export and import of a HotRing store while operations continue. Emitted code wraps it in the store's own
/// types.
/// </summary>
/// <remarks>
/// <para>A scan returns each key once that is in the store during the whole scan, with a value that it had meanwhile;
/// of keys that come or go it may return some. It copies 64 KiB of records at a time and holds nothing of the store
/// while its caller looks at them. A rehash does not disturb it: the scan's place is a hash, and the order of the rings
/// is that of their hashes.</para>
/// <para>Thread-safe, but each enumeration and each transfer has one user. A scan is a session of the store: closing
/// the store ends it by <see cref="ObjectDisposedException"/>.</para>
/// </remarks>
/// <typeparam name="TProbe">A test's probe, or <see cref="NoProbe"/>.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class HotRingScans<TProbe> : IStoreScans
    where TProbe : struct, IProbe
{
    private readonly HotRingStore<TProbe> _store;

    internal HotRingScans(HotRingStore<TProbe> store) => _store = store;

    /// <inheritdoc/>
    public IAsyncEnumerable<T> ScanAsync<T>(
        ScanOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(decode);
        options?.Validate();
        if (options is { Scope: ScanScope.All } or { AsOf: not null })
        {
            throw new NotSupportedException(
                "The engine HotRing keeps one record of each key and has no commits, so it can't scan older records or "
                + "the state as of a commit. Scan with ScanScope.Live and without AsOf, or choose the engine FASTER.");
        }

        return ScanLiveAsync(decode, cancellationToken);
    }

    /// <inheritdoc/>
    public PipeReader OpenReader(ScanOptions? options = null, CancellationToken cancellationToken = default) =>
        ExporterOf(options).OpenReader(cancellationToken);

    /// <inheritdoc/>
    public Task<long> ExportAsync(
        Stream destination, ScanOptions? options = null, IProgress<TransferProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        ExporterOf(options).ExportAsync(destination, progress, cancellationToken);

    /// <inheritdoc/>
    public Task<long> ExportAsync(
        PipeWriter destination, ScanOptions? options = null, IProgress<TransferProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        ExporterOf(options).ExportAsync(destination, progress, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="NotSupportedException">The export has records that expire.</exception>
    /// <exception cref="LimitExceededException">The records exceed the store's memory.</exception>
    public Task<long> ImportAsync<TLayout>(
        Stream source, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
        where TLayout : struct, IValueLayout =>
        ExportReader.ReadAsync(
            source, reader => ImportAsync<TLayout>(reader, progress, cancellationToken), cancellationToken);

    /// <inheritdoc cref="ImportAsync{TLayout}(Stream, IProgress{TransferProgress}?, CancellationToken)"/>
    public Task<long> ImportAsync<TLayout>(
        PipeReader source, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
        where TLayout : struct, IValueLayout
    {
        ArgumentNullException.ThrowIfNull(source);
        return ImportAsync<TLayout>(new ExportReader(source, "a pipe"), progress, cancellationToken);
    }

    private Exporter ExporterOf(ScanOptions? options) =>
        new(_store.Schema, (decode, cancellationToken) => ScanAsync(options, decode, cancellationToken));

    private async Task<long> ImportAsync<TLayout>(
        ExportReader reader, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
        where TLayout : struct, IValueLayout
    {
        HotRingSession<TProbe> session = _store.StartSession();
        await using (session.ConfigureAwait(false))
        {
            var importer = new Importer<HotRingSession<TProbe>, TLayout>(session, _store.Schema, reader, progress);
            return await importer.RunAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private async IAsyncEnumerable<T> ScanLiveAsync<T>(
        RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        HotRingSession<TProbe> session = _store.StartSession();
        await using (session.ConfigureAwait(false))
        {
            var copies = new RecordCopies();
            ulong from = 0;
            do
            {
                cancellationToken.ThrowIfCancellationRequested();
                copies.Clear();
                from = session.CopyRecords(from, copies);
                while (TryDecode(copies, decode, out T? item)) yield return item!;
            }
            while (from != 0);
        }
    }

    // Apart, because an iterator cannot keep a view of a record.
    private static bool TryDecode<T>(RecordCopies copies, RecordDecoder<T> decode, out T? item)
    {
        bool isThere = copies.TryTake(out RecordView record);
        item = isThere ? decode(record) : default;
        return isThere;
    }
}
