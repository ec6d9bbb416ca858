using System.IO.Pipelines;
using Faster.Contracts;

namespace Faster.Analytics.Transfer;

/// <summary>Writes what a scan of any engine returns in the export format.</summary>
/// <remarks>Thread-safe if the scan is; each export runs the scan once.</remarks>
/// <param name="schema">The schema of the store's records.</param>
/// <param name="scan">Starts the scan, with what takes its records.</param>
internal sealed class Exporter(
    RecordSchema schema, Func<RecordDecoder<long>, CancellationToken, IAsyncEnumerable<long>> scan)
{
    private const int PipeBytes = 4 * ExportFormat.BlockTarget;

    /// <summary>Opens a reader of the export. The bytes are produced as they are read.</summary>
    /// <returns>The reader. If the scan fails, reads fail; complete the reader to end the scan.</returns>
    public PipeReader OpenReader(CancellationToken cancellationToken)
    {
        var pipe = new Pipe(new PipeOptions(
            pauseWriterThreshold: PipeBytes, resumeWriterThreshold: PipeBytes / 2, useSynchronizationContext: false));
        _ = Task.Run(
            async () =>
            {
                Exception? fault = null;
                try
                {
                    await ExportAsync(pipe.Writer, null, cancellationToken).ConfigureAwait(false);
                }
                catch (Exception e)
                {
                    fault = e; // the reader receives it
                }

                await pipe.Writer.CompleteAsync(fault).ConfigureAwait(false);
            },
            CancellationToken.None);
        return pipe.Reader;
    }

    /// <summary>Writes the export to a pipe, which is flushed and not completed.</summary>
    /// <returns>The number of records written; not all of them if the pipe's reader has completed.</returns>
    public async Task<long> ExportAsync(
        PipeWriter destination, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(destination);
        var writer = new ExportWriter(destination, schema);
        writer.Begin();
        await foreach (long _ in scan(writer.Add, cancellationToken).ConfigureAwait(false))
        {
            if (!writer.IsBlockFull) continue;
            if (!await writer.FlushAsync(cancellationToken).ConfigureAwait(false)) return writer.Records;
            progress?.Report(new TransferProgress(writer.Records, writer.Bytes));
        }

        await writer.EndAsync(cancellationToken).ConfigureAwait(false);
        progress?.Report(new TransferProgress(writer.Records, writer.Bytes));
        return writer.Records;
    }

    /// <summary>Writes the export to a stream, which is flushed and stays open.</summary>
    public async Task<long> ExportAsync(
        Stream destination, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(destination);
        PipeWriter pipe = PipeWriter.Create(destination, new StreamPipeWriterOptions(leaveOpen: true));
        Exception? fault = null;
        try
        {
            return await ExportAsync(pipe, progress, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            fault = e;
            throw;
        }
        finally
        {
            await pipe.CompleteAsync(fault).ConfigureAwait(false);
        }
    }
}
