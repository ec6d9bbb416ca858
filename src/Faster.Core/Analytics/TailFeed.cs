using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log;

namespace Faster.Analytics;

/// <summary>A subscription to the log's tail: every record, once it is immutable, in the order of the log.</summary>
/// <remarks>
/// <para>What was given up before the subscriber came to it is told by a gap, and the subscription goes on where the
/// log begins. It waits without a thread, and ends when the store closes.</para>
/// <para>Where only committed records are wanted it stops at the first that is later than the last commit, even if
/// others of that commit lie behind: the order of the log is what a subscriber resumes by. These come with the next
/// commit. One user at a time.</para>
/// </remarks>
internal sealed class TailFeed<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const string Lost =
        "what the address was got from is not in this store, or was lost in a crash. Subscribe from the beginning, and "
        + "with CommittedOnly to be able to resume after a crash.";

    private readonly LogSource<TProbe> _source;
    private readonly FreezeClock<TProbe> _clock;
    private readonly SubscribeOptions _options;
    private readonly RecordCursor<TProbe> _cursor;
    private long _next;
    private CommitExtent? _commit;  // up to which records are given, where only committed ones are
    private long _versionBound;     // no record has a later version, as of the commit

    /// <summary>Begins where the options say, which is what <see cref="StartOf"/> has told of them.</summary>
    public TailFeed(LogSource<TProbe> source, FreezeClock<TProbe> clock, SubscribeOptions options)
    {
        _source = source;
        _clock = clock;
        _options = options;
        _cursor = new RecordCursor<TProbe>(source, new ScanRange(0, long.MaxValue));
        long start = options.FromAddress!.Value;
        _next = start == SubscribeOptions.Beginning ? source.Log.BeginAddress : start;
    }

    /// <summary>Where a subscription of such options begins, as of now: whenever and how often it is followed.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The log does not go as far.</exception>
    public static long StartOf(LogSource<TProbe> source, SubscribeOptions options)
    {
        PagedLog<TProbe> log = source.Log;
        long start = options.FromAddress switch
        {
            { } address => address,
            null when options.CommittedOnly => source.Commits.Newest?.Start ?? log.BeginAddress,
            null => Math.Max(log.SafeFrozenAddress, log.BeginAddress),
        };
        if (start <= log.TailAddress) return start;
        throw new ArgumentOutOfRangeException(
            nameof(options), start,
            $"SubscribeOptions.FromAddress is {start:N0}, but the log ends at {log.TailAddress:N0}: {Lost}");
    }

    private long Begin => _source.Log.BeginAddress;

    /// <summary>Runs until the caller stops or the store closes.</summary>
    public async IAsyncEnumerable<TailItem<T>> RunAsync<T>(
        RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken ct)
    {
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(ct, _source.Guard.Closing);
        for (bool isChecked = false; await HasMoreAsync(ending.Token, ct).ConfigureAwait(false);)
        {
            long limit = Limit();
            if (!isChecked && _next < limit) await CheckStartAsync().ConfigureAwait(false);
            isChecked |= _next < limit;
            bool stopped = false;
            while (!stopped && _next < limit)
            {
                ct.ThrowIfCancellationRequested();
                long to = Math.Min(_source.Log.PageEndOf(_next), limit);
                // The subscriber's address has been checked; the others are the begin, a commit's start, the end of
                // what was frozen, and where the last walk stood.
                bool isThere = Begin <= _next
                    && await TryLoadAsync(RecordBoundary.OfTail(_next), to).ConfigureAwait(false);
                if (_source.Guard.Closing.IsCancellationRequested) yield break;
                if (!isThere)
                {
                    long lost = _next;
                    _next = Begin;
                    yield return TailItem<T>.Gap(lost, _next);
                    continue;
                }

                while (_cursor.MoveNext())
                {
                    stopped = IsUncommitted();
                    if (stopped) break;
                    if (!TryGet(decode, out TailItem<T> item)) yield break;
                    yield return item;
                }

                _next = stopped ? _cursor.Address : to;
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _cursor.Dispose();

    // A gap: the record is there, but the chunks of its value have been given up. False: the store has been closed.
    private bool TryGet<T>(RecordDecoder<T> decode, out TailItem<T> item)
    {
        try
        {
            item = TailItem<T>.Of(decode(_cursor.Current), _cursor.Address, _cursor.NextAddress);
            return true;
        }
        catch (LogTruncatedException)
        {
            item = TailItem<T>.Gap(_cursor.Address, _cursor.NextAddress);
            return true;
        }
        catch (ObjectDisposedException) when (_source.Guard.Closing.IsCancellationRequested)
        {
            item = default!;
            return false;
        }
    }

    // An address of another log, or one of what a crash has taken, may lie within a record by now: what stands there
    // would be taken for records, whatever it is. The page is gone through from its start up to the address.
    private async ValueTask CheckStartAsync()
    {
        RecordBoundary from = _source.Log.WalkStartOf(_next);
        if (from.Address >= _next || Begin > from.Address) return;
        if (!await TryLoadAsync(from, _next).ConfigureAwait(false)) return;
        try
        {
            while (_cursor.MoveNext()) { }
        }
        catch (DamagedDataException e)
        {
            throw new ArgumentException(
                $"SubscribeOptions.FromAddress is {_next:N0}, but no record of this store ends there: {Lost}", e);
        }
    }

    // False: the stretch was given up, or the store has been closed.
    private async ValueTask<bool> TryLoadAsync(RecordBoundary from, long to)
    {
        try
        {
            await _cursor.LoadAsync(from, to).ConfigureAwait(false);
            return true;
        }
        catch (Exception e) when (e is LogTruncatedException || _source.Guard.Closing.IsCancellationRequested)
        {
            return false;
        }
    }

    private async ValueTask<bool> HasMoreAsync(CancellationToken ending, CancellationToken ct)
    {
        try
        {
            if (_options.CommittedOnly) await NextCommitAsync(ending).ConfigureAwait(false);
            else await FrozenBeyondAsync(ending).ConfigureAwait(false);
            return true;
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
        {
            ct.ThrowIfCancellationRequested();
            return false; // the store closes
        }
    }

    private async ValueTask FrozenBeyondAsync(CancellationToken ct)
    {
        PagedLog<TProbe> log = _source.Log;
        long next = _next;
        Task frozen = log.Gate.WaitForAsync(() => log.SafeFrozenAddress > next, ct);
        if (_options.FreezeEvery is { } every)
        {
            // A cancellation may run this before it has come to what waits for the log.
            while (!frozen.IsCompleted && !ct.IsCancellationRequested)
            {
                TimeSpan left = _clock.FreezeIfDue(every);
                await frozen.WaitAsync(left, ct).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        await frozen.ConfigureAwait(false);
    }

    private async ValueTask NextCommitAsync(CancellationToken ct)
    {
        CommitExtents commits = _source.Commits;
        CommitExtent? seen = _commit;
        await commits.Gate.WaitForAsync(() => commits.Newest != seen, ct).ConfigureAwait(false);
        _commit = commits.Newest!;
    }

    private long Limit()
    {
        long frozen = _source.Log.SafeFrozenAddress;
        _versionBound = _source.Store.Commits.Current.OperationVersion; // read later: of all that is frozen by now
        return _options.CommittedOnly ? Math.Min(frozen, _commit!.End) : frozen;
    }

    // What was flushed below the commit's start is its own, or older, whatever the code of its version is taken for;
    // elsewhere records may have been updated since.
    private bool IsUncommitted()
    {
        if (!_options.CommittedOnly || _cursor.Address < Math.Min(_commit!.Start, _commit.FlushedUntil)) return false;
        long committed = _commit.Commit.Version;
        return KeyHistory<TProbe>.VersionOf(_cursor.Header, Math.Max(_versionBound, committed)) > committed;
    }
}
