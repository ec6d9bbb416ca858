using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Faster.Analytics;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Log;
using Faster.Sessions;

namespace Faster;

/// <summary>
/// Everything that reads a store's log as a whole while operations go on: scans of what is live or of all versions,
/// now or as of a commit, as objects or as bytes; export and import; the history of a key; subscriptions to the tail
/// (paper 000, App. F). The generator wraps it in the store's own types.
/// </summary>
/// <remarks>
/// Thread-safe, but each enumeration and each transfer has one user. Nothing is held while a caller looks at a record.
/// What is promised, and what is not: docs/ANALYTICS.md.
/// </remarks>
/// <typeparam name="TProbe">The probe of a test, or <see cref="NoProbe"/>.</typeparam>
public sealed class StoreAnalytics<TProbe>
    where TProbe : struct, IProbe
{
    private const int PipeBytes = 4 * ExportFormat.BlockTarget;

    private readonly FasterStore<TProbe> _store;
    private readonly RecordSchema _schema;
    private readonly LogSource<TProbe>? _source;
    private readonly FreezeClock<TProbe>? _clock;

    internal StoreAnalytics(
        FasterStore<TProbe> store, RecordSchema schema, PagedLog<TProbe>? log, LogStorage? storage,
        CommitCatalog? catalog)
    {
        (_store, _schema) = (store, schema);
        if (log is null) return;
        _source = new LogSource<TProbe>(store, schema, log, storage!, catalog?.Snapshots);
        _clock = new FreezeClock<TProbe>(_source);
        foreach (CommitRecord commit in catalog?.Kept.Reverse() ?? []) _source.Commits.Add(CommitExtent.Of(commit));
    }

    /// <summary>The commits as of which the store can be scanned, oldest first.</summary>
    public IReadOnlyList<Commit> ScannableCommits =>
        _source is null ? [] : _source.Commits.Scannable(_source.Log.BeginAddress);

    internal LogSource<TProbe> Source => _source ?? throw new NotSupportedException(
        "A store with the in-memory allocator has no log to read. Open it with the hybrid or the append-only log.");

    /// <summary>Scans the log: its live records, or all of them.</summary>
    /// <param name="options">What is scanned, or null for what is live now.</param>
    /// <param name="decode">Makes what is given of a record.</param>
    /// <param name="ct">Ends the scan.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="CommitUnavailableException">The state as of the commit can't be told.</exception>
    /// <exception cref="LogTruncatedException">A part of the log was given up before it was scanned.</exception>
    /// <exception cref="DamagedDataException">A block on disk, or a snapshot, is damaged.</exception>
    /// <exception cref="NotSupportedException">The store is in memory only.</exception>
    public IAsyncEnumerable<T> ScanAsync<T>(
        ScanOptions? options, RecordDecoder<T> decode, CancellationToken ct = default)
    {
        options ??= new ScanOptions();
        options.Validate();
        ArgumentNullException.ThrowIfNull(decode);
        return options.Scope == ScanScope.All
            ? ScanAllAsync(Source, options, decode, ct)
            : ScanLiveAsync(Source, options, decode, ct);
    }

    /// <summary>The records of one key, newest first, as far as the log goes back.</summary>
    /// <param name="key">The key.</param>
    /// <param name="decode">Makes what is given of a record.</param>
    /// <param name="ct">Ends the enumeration.</param>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="NotSupportedException">The store is in memory only.</exception>
    public IAsyncEnumerable<PastRecord<T>> HistoryAsync<TKey, T>(
        scoped TKey key, RecordDecoder<T> decode, CancellationToken ct = default)
        where TKey : struct, IKey, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(decode);
        ulong hash = key.Hash(_store.Seed);
        return WalkAsync(Source, CapturedKey.Of(key, hash, default), hash, decode, ct);
    }

    /// <summary>Follows the log's tail: each record once it is immutable, in the log's order.</summary>
    /// <param name="options">Where to begin and what to see, or null for what comes from now on.</param>
    /// <param name="decode">Makes what is given of a record.</param>
    /// <param name="ct">Ends the subscription.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="ArgumentException">
    /// While it is followed: no record of the store ends at the address that it is to begin at.
    /// </exception>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="NotSupportedException">
    /// The store is in memory only; or it has no folder, and only what is committed is wanted.
    /// </exception>
    public IAsyncEnumerable<TailItem<T>> SubscribeAsync<T>(
        SubscribeOptions? options, RecordDecoder<T> decode, CancellationToken ct = default)
    {
        options ??= new SubscribeOptions();
        options.Validate();
        ArgumentNullException.ThrowIfNull(decode);
        if (options.CommittedOnly && Source.Snapshots is null)
        {
            throw new NotSupportedException(
                "A store without a folder makes no commits, so that a subscription with SubscribeOptions.CommittedOnly "
                + "would wait for ever. Open it with a path, or subscribe without.");
        }

        options = options with { FromAddress = TailFeed<TProbe>.StartOf(Source, options) };
        return FollowAsync(Source, _clock!, options, decode, ct);
    }

    /// <summary>A scan as the bytes of an export, made as they are read (docs/formats/export.md).</summary>
    /// <param name="options">What is scanned, or null for what is live now.</param>
    /// <param name="ct">Ends the scan.</param>
    /// <returns>The bytes; a scan that fails fails the reader. Complete it to end the scan.</returns>
    public PipeReader OpenReader(ScanOptions? options = null, CancellationToken ct = default)
    {
        var pipe = new Pipe(new PipeOptions(
            pauseWriterThreshold: PipeBytes, resumeWriterThreshold: PipeBytes / 2, useSynchronizationContext: false));
        _ = Source;
        _ = Task.Run(
            async () =>
            {
                Exception? fault = null;
                try
                {
                    await ExportAsync(pipe.Writer, options, null, ct).ConfigureAwait(false);
                }
                catch (Exception e)
                {
                    fault = e; // the reader hears of it
                }

                await pipe.Writer.CompleteAsync(fault).ConfigureAwait(false);
            },
            CancellationToken.None);
        return pipe.Reader;
    }

    /// <summary>Writes a scan as the bytes of an export: a backup, or a copy for another store.</summary>
    /// <param name="destination">Gets the bytes; is flushed, and not completed.</param>
    /// <param name="options">What is exported, or null for what is live now.</param>
    /// <param name="progress">Told now and then how far it has come; or null.</param>
    /// <param name="ct">Ends the export; what was written by then is refused by an import.</param>
    /// <returns>How many records were written; not all when the pipe's reader wants no more.</returns>
    /// <exception cref="LimitExceededException">A record is larger than one of an export can be.</exception>
    public async Task<long> ExportAsync(
        PipeWriter destination, ScanOptions? options = null, IProgress<TransferProgress>? progress = null,
        CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        var writer = new ExportWriter(destination, _schema);
        writer.Begin();
        await foreach (long _ in ScanAsync(options, writer.Add, ct).ConfigureAwait(false))
        {
            if (!writer.IsBlockFull) continue;
            if (!await writer.FlushAsync(ct).ConfigureAwait(false)) return writer.Records;
            progress?.Report(new TransferProgress(writer.Records, writer.Bytes));
        }

        await writer.EndAsync(ct).ConfigureAwait(false);
        progress?.Report(new TransferProgress(writer.Records, writer.Bytes));
        return writer.Records;
    }

    /// <summary>As the other overload, to a stream, which is flushed and stays open.</summary>
    public async Task<long> ExportAsync(
        Stream destination, ScanOptions? options = null, IProgress<TransferProgress>? progress = null,
        CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        PipeWriter pipe = PipeWriter.Create(destination, new StreamPipeWriterOptions(leaveOpen: true));
        Exception? fault = null;
        try
        {
            return await ExportAsync(pipe, options, progress, ct).ConfigureAwait(false);
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

    /// <summary>
    /// Writes the records of an export into this store, over those that it has; commit afterwards to keep them.
    /// </summary>
    /// <typeparam name="TLayout">The store's values, as its operations have them.</typeparam>
    /// <param name="source">The bytes of the export; read up to its end, and not completed.</param>
    /// <param name="progress">Told now and then how far it has come; or null.</param>
    /// <param name="ct">Ends the import; what was written by then stays.</param>
    /// <returns>How many records were written; all of the export.</returns>
    /// <exception cref="DamagedDataException">
    /// The export is damaged, cut off, or of other records; what was written by then stays, and is all verified.
    /// </exception>
    public Task<long> ImportAsync<TLayout>(
        PipeReader source, IProgress<TransferProgress>? progress = null, CancellationToken ct = default)
        where TLayout : struct, IValueLayout
    {
        ArgumentNullException.ThrowIfNull(source);
        return ImportAsync<TLayout>(new ExportReader(source, "a pipe"), progress, ct);
    }

    /// <summary>As the other overload, from a stream, in which nothing may follow and which stays open.</summary>
    public async Task<long> ImportAsync<TLayout>(
        Stream source, IProgress<TransferProgress>? progress = null, CancellationToken ct = default)
        where TLayout : struct, IValueLayout
    {
        ArgumentNullException.ThrowIfNull(source);
        PipeReader pipe = PipeReader.Create(source, new StreamPipeReaderOptions(leaveOpen: true));
        try
        {
            var reader = new ExportReader(pipe, source is FileStream file ? file.Name : "a stream");
            long records = await ImportAsync<TLayout>(reader, progress, ct).ConfigureAwait(false);
            await reader.EndAsync(ct).ConfigureAwait(false);
            return records;
        }
        finally
        {
            await pipe.CompleteAsync().ConfigureAwait(false);
        }
    }

    internal void OnCommitted(Commit commit, CommitRecord record) =>
        _source?.Commits.Add(CommitExtent.Of(commit, record));

    internal void Close()
    {
        _source?.Guard.Close();
        _source?.Commits.Close();
    }

    private async Task<long> ImportAsync<TLayout>(
        ExportReader reader, IProgress<TransferProgress>? progress, CancellationToken ct)
        where TLayout : struct, IValueLayout
    {
        FasterSession<TProbe> session = _store.StartSession();
        await using (session.ConfigureAwait(false))
        {
            var importer = new Importer<TProbe, TLayout>(session, _schema, reader, progress);
            return await importer.RunAsync(ct).ConfigureAwait(false);
        }
    }

    private static async ValueTask<ScanRange> AsOfAsync(LogSource<TProbe> source, Commit commit)
    {
        source.Guard.Enter();
        try
        {
            CommitExtent extent = source.Commits.Find(commit.Version, source.Log.BeginAddress);
            return ScanRange.AsOf(
                extent, source.Store.Clock.Now,
                await Task.Run(() => source.Commits.OpenSnapshots(extent, source.Log.PageBits)).ConfigureAwait(false));
        }
        finally
        {
            source.Guard.Leave();
        }
    }

    // Everything below the range's end is immutable when it is returned, or in the range's snapshots.
    private static async ValueTask<ScanRange> BeginAsync(
        LogSource<TProbe> source, Commit? asOf, CancellationToken ct)
    {
        if (asOf is not null) return await AsOfAsync(source, asOf).ConfigureAwait(false);
        for (;;)
        {
            // The begin is read first: of what compaction gives up from here on, some copies may lie behind the end.
            // Nothing has been given yet, so the scan begins again then, instead of failing.
            long begin = source.Log.BeginAddress, now = source.Store.Clock.Now, end = source.FreezeToTail();
            await SafeFrozenAsync(source, end, ct).ConfigureAwait(false);
            if (source.Log.BeginAddress == begin) return new ScanRange(begin, end, Now: now);
        }
    }

    private static async Task SafeFrozenAsync(LogSource<TProbe> source, long end, CancellationToken ct)
    {
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(ct, source.Guard.Closing);
        try
        {
            await source.Log.Gate.WaitForAsync(() => source.Log.SafeFrozenAddress >= end, ending.Token)
                .ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            ClosedStore.ThrowIf(true);
        }
    }

    private static async IAsyncEnumerable<T> ScanAllAsync<T>(
        LogSource<TProbe> source, ScanOptions options, RecordDecoder<T> decode,
        [EnumeratorCancellation] CancellationToken ct)
    {
        using ScanRange range = await BeginAsync(source, options.AsOf, ct).ConfigureAwait(false);
        using var cursor = new RecordCursor<TProbe>(source, range);
        for (long from = range.Begin; from < range.End;)
        {
            ct.ThrowIfCancellationRequested();
            long to = Math.Min(source.Log.PageEndOf(from), range.End);
            await cursor.LoadAsync(source.Log.WalkStartOf(from), to).ConfigureAwait(false);
            while (cursor.MoveNext()) yield return decode(cursor.Current);
            from = to;
        }
    }

    private static async IAsyncEnumerable<T> ScanLiveAsync<T>(
        LogSource<TProbe> source, ScanOptions options, RecordDecoder<T> decode,
        [EnumeratorCancellation] CancellationToken ct)
    {
        using ScanRange range = await BeginAsync(source, options.AsOf, ct).ConfigureAwait(false);
        using var scan = new LiveScan<TProbe>(source, range, options.TableMemory);
        await foreach (T item in scan.RunAsync(decode, ct).ConfigureAwait(false)) yield return item;
    }

    // Feed and walk are made here, so that each enumeration has its own.
    private static async IAsyncEnumerable<TailItem<T>> FollowAsync<T>(
        LogSource<TProbe> source, FreezeClock<TProbe> clock, SubscribeOptions options, RecordDecoder<T> decode,
        [EnumeratorCancellation] CancellationToken ct)
    {
        using var feed = new TailFeed<TProbe>(source, clock, options);
        await foreach (TailItem<T> item in feed.RunAsync(decode, ct).ConfigureAwait(false)) yield return item;
    }

    private static async IAsyncEnumerable<PastRecord<T>> WalkAsync<T>(
        LogSource<TProbe> source, CapturedKey key, ulong hash, RecordDecoder<T> decode,
        [EnumeratorCancellation] CancellationToken ct)
    {
        var history = new KeyHistory<TProbe>(source, key, hash);
        await foreach (PastRecord<T> past in history.RunAsync(decode, ct).ConfigureAwait(false)) yield return past;
    }
}
