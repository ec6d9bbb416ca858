using System.IO.Pipelines;
using Faster.Contracts;

namespace Faster;

/// <summary>
/// A store of any class and engine, for code that watches, backs up or closes stores and does not know their types. The
/// <c>IStore</c> of a class derives from it, and starts sessions, which have the operations.
/// </summary>
/// <remarks>
/// Thread-safe, but each transfer has one user. The bodies are those of a fake that is not asked for the member; all
/// stores implement all.
/// </remarks>
public interface IStore : IAsyncDisposable, IDisposable
{
    /// <summary>The options with which the store was opened.</summary>
    EngineOptions Options => throw FakeMember.NotImplemented();

    /// <summary>A snapshot of the store's counters and sizes.</summary>
    EngineStatistics Statistics => throw FakeMember.NotImplemented();

    /// <inheritdoc cref="Stores.EngineStore.OpenReader"/>
    PipeReader OpenReader(ScanOptions? options = null, CancellationToken cancellationToken = default) =>
        throw FakeMember.NotImplemented();

    /// <summary>Writes a scan in the export format, as a backup or as a copy for another store.</summary>
    /// <param name="destination">Receives the bytes; it is flushed and stays open.</param>
    /// <param name="options">The records to export; null for those that are live now.</param>
    /// <param name="progress">Receives the progress from time to time; or null.</param>
    /// <param name="cancellationToken">Cancels the export; imports reject the bytes written until then.</param>
    /// <returns>The number of records written.</returns>
    Task<long> ExportAsync(
        Stream destination, ScanOptions? options = null, IProgress<TransferProgress>? progress = null,
        CancellationToken cancellationToken = default) => throw FakeMember.NotImplemented();

    /// <summary>Writes the records of an export into this store, replacing those with the same keys.</summary>
    /// <param name="source">The bytes of the export; it is read to its end and stays open.</param>
    /// <param name="progress">Receives the progress from time to time; or null.</param>
    /// <param name="cancellationToken">Cancels the import; records written until then stay.</param>
    /// <returns>The number of records written: all records of the export.</returns>
    /// <exception cref="DamagedDataException">The export is damaged, or of another record schema.</exception>
    Task<long> ImportAsync(
        Stream source, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        throw FakeMember.NotImplemented();

    void IDisposable.Dispose() => GC.SuppressFinalize(this);

    ValueTask IAsyncDisposable.DisposeAsync()
    {
        Dispose();
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}
