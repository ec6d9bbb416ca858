using System.IO.Pipelines;
using Faster.Analytics.Transfer;
using Faster.Contracts;

namespace Faster.Analytics;

/// <summary>
/// Export and import of a store of any engine, by its scans and its sessions.
/// </summary>
/// <remarks>Thread-safe, but each enumeration and each transfer has one user.</remarks>
internal abstract class StoreScans
{
    private protected StoreScans(RecordSchema schema) => Schema = schema;

    /// <summary>The schema of the store's records.</summary>
    private protected RecordSchema Schema { get; }

    /// <summary>Scans records while operations continue.</summary>
    /// <param name="options">The records to scan; null for those that are live now.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="cancellationToken">Cancels the scan.</param>
    /// <exception cref="NotSupportedException">The engine cannot scan what the options select.</exception>
    public abstract IAsyncEnumerable<T> ScanAsync<T>(
        ScanOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken = default);

    /// <summary>Opens a reader of a scan in the export format. The bytes are produced as they are read.</summary>
    /// <param name="options">The records to scan; null for those that are live now.</param>
    /// <param name="cancellationToken">Cancels the scan and fails the reader.</param>
    /// <returns>The reader. If the scan fails, reads fail; complete the reader to end the scan.</returns>
    public virtual PipeReader OpenReader(ScanOptions? options = null, CancellationToken cancellationToken = default) =>
        ExporterOf(options).OpenReader(cancellationToken);

    /// <summary>Writes a scan in the export format, as a backup or as a copy for another store.</summary>
    /// <param name="destination">Receives the bytes; it is flushed and not completed.</param>
    /// <param name="options">The records to export; null for those that are live now.</param>
    /// <param name="progress">Receives the progress from time to time; or null.</param>
    /// <param name="cancellationToken">Cancels the export; imports reject the bytes written until then.</param>
    /// <returns>The number of records written; not all of them if the pipe's reader has completed.</returns>
    /// <exception cref="LimitExceededException">A record is larger than the maximum of an export.</exception>
    public Task<long> ExportAsync(
        PipeWriter destination, ScanOptions? options = null, IProgress<TransferProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        ExporterOf(options).ExportAsync(destination, progress, cancellationToken);

    /// <summary>Writes a scan in the export format to a stream, which is flushed and stays open.</summary>
    public Task<long> ExportAsync(
        Stream destination, ScanOptions? options = null, IProgress<TransferProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        ExporterOf(options).ExportAsync(destination, progress, cancellationToken);

    /// <summary>
    /// Writes the records of an export into this store, replacing those with the same keys. If the store commits,
    /// commit afterwards to make them durable.
    /// </summary>
    /// <typeparam name="TLayout">The layout of the store's values.</typeparam>
    /// <param name="source">The bytes of the export; it is read to its end and not completed.</param>
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
    public Task<long> ImportAsync<TLayout>(
        PipeReader source, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
        where TLayout : struct, IValueLayout
    {
        ArgumentNullException.ThrowIfNull(source);
        return ImportAsync<TLayout>(new ExportReader(source, "a pipe"), progress, cancellationToken);
    }

    /// <summary>Imports from a stream, which must end with the export and stays open.</summary>
    /// <inheritdoc cref="ImportAsync{TLayout}(PipeReader, IProgress{TransferProgress}?, CancellationToken)"/>
    public Task<long> ImportAsync<TLayout>(
        Stream source, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
        where TLayout : struct, IValueLayout =>
        ExportReader.ReadAsync(
            source, reader => ImportAsync<TLayout>(reader, progress, cancellationToken), cancellationToken);

    /// <summary>Imports through a session of the store.</summary>
    private protected abstract Task<long> ImportAsync<TLayout>(
        ExportReader reader, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
        where TLayout : struct, IValueLayout;

    private Exporter ExporterOf(ScanOptions? options) =>
        new(Schema, (decode, cancellationToken) => ScanAsync(options, decode, cancellationToken));
}
