using System.ComponentModel;
using System.IO.Pipelines;
using Faster.Contracts;

namespace Faster.Analytics.Transfer;

/// <summary>An import that needs the layout of the store's values to run.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct StoreImport
{
    private readonly StoreScans _scans;
    private readonly Stream? _stream;
    private readonly PipeReader? _pipe;
    private readonly IProgress<TransferProgress>? _progress;
    private readonly CancellationToken _cancellationToken;

    internal StoreImport(
        StoreScans scans, Stream? stream, PipeReader? pipe, IProgress<TransferProgress>? progress,
        CancellationToken cancellationToken)
    {
        (_scans, _stream, _pipe) = (scans, stream, pipe);
        (_progress, _cancellationToken) = (progress, cancellationToken);
    }

    /// <summary>Runs the import.</summary>
    /// <typeparam name="TLayout">The layout of the store's values.</typeparam>
    /// <returns>The number of records written.</returns>
    public Task<long> RunAsync<TLayout>()
        where TLayout : struct, IValueLayout => _stream is not null
            ? _scans.ImportAsync<TLayout>(_stream, _progress, _cancellationToken)
            : _scans.ImportAsync<TLayout>(_pipe!, _progress, _cancellationToken);
}
