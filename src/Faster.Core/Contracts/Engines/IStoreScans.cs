using System.ComponentModel;
using System.IO.Pipelines;

namespace Faster.Contracts;

/// <summary>Scans, export and import of a store. Thread-safe.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IStoreScans
{
    /// <summary>Scans records while operations continue.</summary>
    /// <param name="options">The records to scan; null for those that are live now.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="cancellationToken">Cancels the scan.</param>
    /// <exception cref="NotSupportedException">The engine cannot scan what the options select.</exception>
    IAsyncEnumerable<T> ScanAsync<T>(
        ScanOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken);

    /// <summary>Opens a reader of a scan in the export format.</summary>
    /// <param name="options">The records to scan; null for those that are live now.</param>
    /// <param name="cancellationToken">Cancels the scan and fails the reader.</param>
    PipeReader OpenReader(ScanOptions? options, CancellationToken cancellationToken);

    /// <summary>Writes a scan in the export format.</summary>
    /// <param name="destination">Receives the bytes; it is flushed and stays open.</param>
    /// <param name="options">The records to export; null for those that are live now.</param>
    /// <param name="progress">Receives the progress from time to time; or null.</param>
    /// <param name="cancellationToken">Cancels the export.</param>
    /// <returns>The number of records written.</returns>
    Task<long> ExportAsync(
        Stream destination, ScanOptions? options, IProgress<TransferProgress>? progress,
        CancellationToken cancellationToken);

    /// <inheritdoc cref="ExportAsync(Stream, ScanOptions?, IProgress{TransferProgress}?, CancellationToken)"/>
    Task<long> ExportAsync(
        PipeWriter destination, ScanOptions? options, IProgress<TransferProgress>? progress,
        CancellationToken cancellationToken);

    /// <summary>Writes the records of an export into this store, replacing those with the same keys.</summary>
    /// <typeparam name="TLayout">The layout of the store's values.</typeparam>
    /// <param name="source">The bytes of the export; it is read to its end and stays open.</param>
    /// <param name="progress">Receives the progress from time to time; or null.</param>
    /// <param name="cancellationToken">Cancels the import; records written until then stay.</param>
    /// <returns>The number of records written.</returns>
    /// <exception cref="DamagedDataException">The export is damaged, or of another record schema.</exception>
    Task<long> ImportAsync<TLayout>(
        Stream source, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
        where TLayout : struct, IValueLayout;

    /// <inheritdoc cref="ImportAsync{TLayout}(Stream, IProgress{TransferProgress}?, CancellationToken)"/>
    Task<long> ImportAsync<TLayout>(
        PipeReader source, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
        where TLayout : struct, IValueLayout;
}
