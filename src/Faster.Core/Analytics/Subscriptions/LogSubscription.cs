using System.Runtime.CompilerServices;
using Faster.Analytics.History;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Invariants;
using Faster.Log;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Analytics.Subscriptions;

/// <summary>
/// A subscription to the log's tail, which returns every record once it is immutable, in the order of the log.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The position only moves up. Every record is returned once, or lies in a gap.</item>
/// <item>The position is a record's boundary, once the address that the subscriber gave has been checked.</item>
/// <item>Nothing is returned that may still change.</item>
/// </list>
/// <para>If records are truncated before the subscriber has reached them, it receives a gap, and the subscription
/// continues at the log's begin address. It waits without a thread, and ends when the store closes.</para>
/// <para>If only committed records are requested, it stops at the first record that is later than the last commit, even
/// if records of that commit follow: a subscriber resumes by the order of the log. The following ones are returned with
/// the next commit. Not thread-safe.</para>
/// </remarks>
internal sealed class LogSubscription : IDisposable
{
    private const string Lost =
        "the item with this address is not in this store, or was lost in a crash. Subscribe from the beginning, and "
        + "with CommittedOnly to be able to resume after a crash.";

    private readonly LogSource _source;
    private readonly ReadOnlyShiftTimer _clock;
    private readonly SubscribeOptions _options;
    private readonly RecordCursor _cursor;
    private long _next;
    private CommitLogRange? _commit;  // the last one to return, if only committed records are
    private long _versionBound;     // no record had a later version at the last look

    /// <summary>
    /// Creates a subscription that starts at the address in the options, as <see cref="StartOf"/> has determined it.
    /// </summary>
    public LogSubscription(LogSource source, ReadOnlyShiftTimer clock, SubscribeOptions options)
    {
        _source = source;
        _clock = clock;
        _options = options;
        _cursor = new RecordCursor(source, new ScanRange(0, long.MaxValue));
        _next = options.FromAddress!.Value;
    }

    /// <summary>
    /// Returns the address at which a subscription with such options starts now. It remains the same whenever and
    /// however often the subscription is enumerated.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The address is above the log's tail.</exception>
    public static long StartOf(LogSource source, SubscribeOptions options)
    {
        PagedLog log = source.Log;
        long start = options.FromAddress switch
        {
            SubscribeOptions.Beginning => log.BeginAddress,
            { } address => address,
            null when options.CommittedOnly => source.Commits.Newest?.Start ?? log.BeginAddress,
            null => Math.Max(log.SafeImmutableAddress, log.BeginAddress),
        };
        if (start <= log.TailAddress) return start;
        throw new ArgumentOutOfRangeException(
            nameof(options), start,
            $"SubscribeOptions.FromAddress is {start:N0}, but the log ends at {log.TailAddress:N0}: {Lost}");
    }

    private long Begin => _source.Log.BeginAddress;

    /// <summary>Enumerates entries until the caller stops or the store closes.</summary>
    public async IAsyncEnumerable<LogEntry<T>> RunAsync<T>(
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
                // The subscriber's address has been checked. The others are record boundaries: the begin address, a
                // commit's start, the end of the immutable part, and the end of the last walk.
                bool isThere = Begin <= _next
                    && await TryLoadAsync(RecordBoundary.OfTail(_next), to).ConfigureAwait(false);
                if (_source.Guard.Closing.IsCancellationRequested) yield break;
                if (!isThere)
                {
                    long lost = _next;
                    _next = Begin;
                    Invariant.Check(_next > lost, $"a gap leads on: from {lost} to {_next}");
                    if (Probe.On && Probe.Has(SeededBug.GapNotReported)) continue;
                    yield return LogEntry<T>.Gap(lost, _next);
                    continue;
                }

                while (_cursor.MoveNext())
                {
                    stopped = IsUncommitted();
                    if (stopped) break;
                    if (!TryGet(decode, out LogEntry<T> item)) yield break;
                    yield return item;
                }

                Invariant.Check(
                    !stopped || (_cursor.Address >= _next && _cursor.Address < to),
                    $"the position moves up: {_next} to {_cursor.Address}, below {to}");
                _next = stopped ? _cursor.Address : to;
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _cursor.Dispose();

    // Returns a gap if the record exists but the fragments of its value were truncated; false if the store was closed.
    private bool TryGet<T>(RecordDecoder<T> decode, out LogEntry<T> item)
    {
        try
        {
            item = _cursor.TryGetCurrent(out RecordView record)
                ? LogEntry<T>.Of(decode(record), _cursor.Address, _cursor.NextAddress)
                : LogEntry<T>.Gap(_cursor.Address, _cursor.NextAddress);
            return true;
        }
        catch (ObjectDisposedException) when (_source.Guard.Closing.IsCancellationRequested)
        {
            item = default!;
            return false;
        }
    }

    // An address from another log, or of records lost in a crash, may now be inside a record, whose bytes would be
    // misread as records. So this walks the page from its start up to the address.
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

    // Returns false if the range was truncated or the store was closed.
    private async ValueTask<bool> TryLoadAsync(RecordBoundary from, long to)
    {
        try
        {
            return await _cursor.TryLoadAsync(from, to).ConfigureAwait(false);
        }
        catch (Exception) when (_source.Guard.Closing.IsCancellationRequested)
        {
            return false;
        }
    }

    private async ValueTask<bool> HasMoreAsync(CancellationToken ending, CancellationToken ct)
    {
        try
        {
            if (_options.CommittedOnly) await NextCommitAsync(ending).ConfigureAwait(false);
            else await ImmutableBeyondAsync(ending).ConfigureAwait(false);
            return true;
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
        {
            ct.ThrowIfCancellationRequested();
            return false; // the store is closing
        }
    }

    private async ValueTask ImmutableBeyondAsync(CancellationToken ct)
    {
        PagedLog log = _source.Log;
        long next = _next;
        Task immutable = log.Gate.WaitForAsync(() => log.SafeImmutableAddress > next, ct);
        if (_options.ShiftReadOnlyEvery is { } every)
        {
            // A cancellation may run this before it reaches the wait for the log.
            while (!immutable.IsCompleted && !ct.IsCancellationRequested)
            {
                TimeSpan left = _clock.ShiftIfDue(every);
                await immutable.WaitAsync(left, ct).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        await immutable.ConfigureAwait(false);
    }

    private async ValueTask NextCommitAsync(CancellationToken ct)
    {
        CommitLogRanges commits = _source.Commits;
        CommitLogRange? seen = _commit;
        await commits.Gate.WaitForAsync(() => commits.Newest != seen, ct).ConfigureAwait(false);
        _commit = commits.Newest!;
    }

    private long Limit()
    {
        long immutable = _source.Log.SafeImmutableAddress;
        _versionBound = _source.Core.Commits.Current.OperationVersion; // read later: of all that is immutable by now
        return _options.CommittedOnly ? Math.Min(immutable, _commit!.End) : immutable;
    }

    // A record flushed below the commit's start belongs to the commit or an older one, whatever its version code is
    // decoded to; elsewhere records may have been updated since.
    private bool IsUncommitted()
    {
        if (!_options.CommittedOnly || _cursor.Address < Math.Min(_commit!.Start, _commit.FlushedUntil)) return false;
        long committed = _commit.Commit.Version;
        return KeyHistory.VersionOf(_cursor.Header, Math.Max(_versionBound, committed)) > committed;
    }
}
