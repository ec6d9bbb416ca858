using System.Runtime.CompilerServices;
using Faster.Analytics.Scans;
using Faster.Analytics.Transfer;
using Faster.Contracts;
using Faster.Threads;

namespace Faster.Analytics;

/// <summary>
/// Scans, export and import of a store in memory while operations continue, by sessions that copy records.
/// </summary>
/// <remarks>
/// <para>A scan returns each key once that is in the store during the whole scan, with a value that it had meanwhile;
/// of keys that come or go it may return some. It copies some records at a time and holds nothing of the store while
/// its caller looks at them. An index that is resized does not disturb it: the scan's place is a hash.</para>
/// <para>Thread-safe, but each enumeration and each transfer has one user. A scan is a session of the store: closing
/// the store ends it by <see cref="ObjectDisposedException"/>.</para>
/// </remarks>
/// <typeparam name="TSession">The type of the store's sessions.</typeparam>
/// <param name="schema">The schema of the store's records.</param>
/// <param name="engine">The engine, for errors.</param>
/// <param name="start">Starts a session of the store.</param>
internal sealed class CopyingScans<TSession>(RecordSchema schema, string engine, Func<TSession> start)
    : StoreScans(schema)
    where TSession : class, ICopyingSession
{
    /// <summary>The commits that can be scanned; null for a store that does not commit.</summary>
    public ICommittedScans? Past { get; init; }

    /// <inheritdoc/>
    public override IAsyncEnumerable<T> ScanAsync<T>(
        ScanOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(decode);
        options?.Validate();
        if (options is { Scope: ScanScope.All } || (options is { AsOf: not null } && Past is null))
        {
            throw new NotSupportedException(
                $"The engine {engine} keeps one record of each key, and this store makes no commits, so it can't scan "
                + "older records or the state as of a commit. Scan with ScanScope.Live and without AsOf, or choose the "
                + "engine FASTER.");
        }

        return options?.AsOf is { } commit
            ? ScanPastAsync(commit, decode, cancellationToken)
            : ScanLiveAsync(decode, cancellationToken);
    }

    private protected override async Task<long> ImportAsync<TLayout>(
        ExportReader reader, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        TSession session = start();
        await using (session.ConfigureAwait(false))
        {
            var importer = new Importer<TSession, TLayout>(session, Schema, reader, progress);
            return await importer.RunAsync(cancellationToken).Here();
        }
    }

    private async IAsyncEnumerable<T> ScanLiveAsync<T>(
        RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        TSession session = start();
        await using (session.ConfigureAwait(false))
        {
            var copies = new RecordCopies(Schema);
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

    private async IAsyncEnumerable<T> ScanPastAsync<T>(
        Commit commit, RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(false);
        var copies = new RecordCopies(Schema);
        using ICommittedRecords records = Past!.Open(commit);
        while (records.TryRead(copies))
        {
            cancellationToken.ThrowIfCancellationRequested();
            while (TryDecode(copies, decode, out T? item)) yield return item!;
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
