using System.ComponentModel;
using System.IO.Pipelines;
using Faster.Analytics;
using Faster.Analytics.Transfer;

namespace Faster.Stores;

/// <summary>What the stores of all engines have: options, figures, export, import, and an end.</summary>
/// <remarks>Thread-safe, but each transfer has one user.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class EngineStore : IStore
{
    private protected EngineStore()
    {
    }

    /// <summary>The options with which the store was opened.</summary>
    public abstract EngineOptions Options { get; }

    /// <summary>A snapshot of the store's counters and sizes.</summary>
    public abstract EngineStatistics Statistics { get; }

    /// <summary>Scans, export and import.</summary>
    internal abstract StoreScans Analytics { get; }

    /// <summary>Opens a reader of a scan in the export format. The bytes are produced as they are read.</summary>
    /// <param name="options">The records to scan; null for those that are live now.</param>
    /// <param name="cancellationToken">Cancels the scan and fails the reader.</param>
    /// <returns>The reader. If the scan fails, reads fail; complete the reader to end the scan.</returns>
    public PipeReader OpenReader(ScanOptions? options = null, CancellationToken cancellationToken = default) =>
        Analytics.OpenReader(options, cancellationToken);

    /// <summary>Writes a scan in the export format, as a backup or as a copy for another store.</summary>
    /// <param name="destination">Receives the bytes; it is flushed and stays open.</param>
    /// <param name="options">The records to export; null for those that are live now.</param>
    /// <param name="progress">Receives the progress from time to time; or null.</param>
    /// <param name="cancellationToken">Cancels the export; imports reject the bytes written until then.</param>
    /// <returns>The number of records written.</returns>
    /// <exception cref="LimitExceededException">A record is larger than the maximum of an export.</exception>
    public Task<long> ExportAsync(
        Stream destination, ScanOptions? options = null, IProgress<TransferProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Analytics.ExportAsync(destination, options, progress, cancellationToken);

    /// <inheritdoc cref="ExportAsync(Stream, ScanOptions?, IProgress{TransferProgress}?, CancellationToken)"/>
    public Task<long> ExportAsync(
        PipeWriter destination, ScanOptions? options = null, IProgress<TransferProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Analytics.ExportAsync(destination, options, progress, cancellationToken);

    /// <summary>
    /// Writes the records of an export into this store, replacing those with the same keys. If the store commits,
    /// commit afterwards to make them durable.
    /// </summary>
    /// <param name="source">The bytes of the export; it is read to its end and stays open.</param>
    /// <param name="progress">Receives the progress from time to time; or null.</param>
    /// <param name="cancellationToken">Cancels the import; records written until then stay.</param>
    /// <returns>The number of records written: all records of the export.</returns>
    /// <exception cref="DamagedDataException">
    /// The export is damaged, truncated, or of another record schema. Records written until then stay; all of them were
    /// verified.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// The export has records that expire, and those of the store can't.
    /// </exception>
    /// <exception cref="LimitExceededException">The records exceed the memory of a store in memory.</exception>
    public Task<long> ImportAsync(
        Stream source, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        ImportAsync(new StoreImport(Analytics, source, null, progress, cancellationToken));

    /// <inheritdoc cref="ImportAsync(Stream, IProgress{TransferProgress}?, CancellationToken)"/>
    public Task<long> ImportAsync(
        PipeReader source, IProgress<TransferProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        ImportAsync(new StoreImport(Analytics, null, source, progress, cancellationToken));

    /// <summary>
    /// Closes the sessions and the store: waits for calls under way, completes pending operations, and refuses later
    /// calls with <see cref="ObjectDisposedException"/>. A store with a folder then commits what was done since the
    /// last commit, unless the options' <c>CommitOnDispose</c> is false. Idempotent.
    /// </summary>
    /// <exception cref="SessionMisuseException">
    /// A call, which the message names, did not return within the options' <c>CloseTimeout</c>. No memory was freed,
    /// and a folder stays locked: dispose of the store again.
    /// </exception>
    /// <exception cref="StorageException">
    /// The last commit has failed, or was not tried because the store is poisoned. The store is closed nevertheless;
    /// the message names the last durable commit.
    /// </exception>
    public void Dispose()
    {
        CloseAsync(blocks: true).GetAwaiter().GetResult();
        GC.SuppressFinalize(this);
    }

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return new(CloseAsync(blocks: false));
    }

    /// <summary>Runs an import with the layout of the store's values, which emitted code knows.</summary>
    /// <param name="import">The import.</param>
    protected virtual Task<long> ImportAsync(StoreImport import) =>
        throw new NotSupportedException("Only an emitted store knows the layout of its values.");

    private protected abstract Task CloseAsync(bool blocks);
}
