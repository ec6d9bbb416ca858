using System.Diagnostics;
using Faster.Contracts;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>
/// Gives back the room of records that have expired: compacts the beginning of the log as soon as half of it is dead
/// (docs/EXPIRY.md).
/// </summary>
/// <remarks>
/// <para>What has left memory is read once, in parts of a thirty-second of it, each of which becomes a histogram of the
/// times at which its bytes die: on disk expiries do not change. When half of the bytes of the first parts are dead,
/// these are compacted. So what lives for ever keeps what lies behind it no longer than until there is more that is
/// dead. Nothing is read before a session has set a time to live.</para>
/// <para><b>What it costs.</b> For each byte that is copied one or more are given back, so a store whose records all
/// expire is written once, and read once more. What is known is kept in the store's folder, now and then and when the
/// store is closed, so that an opening reads on where the last one stood; and what is read is paced
/// (<see cref="ReadPace"/>), and waited for without a thread. Memory: at most <see cref="ExpiryFile.MostParts"/>
/// histograms of 4 KiB.</para>
/// <para>One task; what fails is reported and tried again.</para>
/// </remarks>
internal sealed class ExpiryKeeper<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const string Owner = "the search for expired records";
    private const int Parts = 32;
    private const long LeastWait = 20, MostWait = 60_000, LooksForEachLife = 16;

    private readonly FasterStore<TProbe> _store;
    private readonly PagedLog<TProbe> _log;
    private static readonly TimeSpan SaveEvery = TimeSpan.FromMinutes(1);

    private readonly LogStorage _storage;
    private readonly ExpiryFile? _file; // null where there is no folder
    private readonly ReadPace _pace;
    private readonly LogTruncation<TProbe> _truncation;
    private readonly RecordFate<TProbe> _fate;
    private readonly Func<Task>? _commit; // until the space is free; null where it is at once
    private readonly CancellationTokenSource _stop = new();
    private readonly List<ExpiryHistogram> _known = []; // parts from the begin on
    private bool _isUnsaved;
    private long _saved = Stopwatch.GetTimestamp();
    private Task _loop = Task.CompletedTask;

    /// <summary>A keeper that does not run yet.</summary>
    /// <param name="store">The store.</param>
    /// <param name="log">Its log.</param>
    /// <param name="storage">Where it lies.</param>
    /// <param name="truncation">What compacts it.</param>
    /// <param name="commit">Commits until the space that was given up is free; null where nothing commits.</param>
    /// <param name="file">Where what is known is kept; null where there is no folder.</param>
    public ExpiryKeeper(
        FasterStore<TProbe> store, PagedLog<TProbe> log, LogStorage storage, LogTruncation<TProbe> truncation,
        Func<Task>? commit, ExpiryFile? file = null)
    {
        (_store, _log, _storage, _truncation, _commit, _file) = (store, log, storage, truncation, commit, file);
        _pace = new ReadPace(log.TailAddress, TimeProvider.System);
        _fate = truncation.Fate;
    }

    /// <summary>Begins.</summary>
    public void Start() => _loop = Task.Run(RunAsync);

    /// <summary>Begins nothing more. Idempotent.</summary>
    public void Stop() => _stop.Cancel();

    /// <summary>
    /// Ends. A compaction under way must have been told to stop; a commit under way goes on, and the coordinator waits
    /// for it.
    /// </summary>
    public void Dispose()
    {
        Stop();
        _loop.Wait();
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        TimeProvider time = _store.Options.TimeProvider;
        try
        {
            await _store.Clock.Begun.WaitAsync(_stop.Token).ConfigureAwait(false);
            Guarded(() => _known.AddRange(_file?.Read(_log.BeginAddress) ?? []));
            while (!_stop.IsCancellationRequested)
            {
                bool isDone = await LookAsync().ConfigureAwait(false);
                long wait = isDone ? Math.Min(_store.Clock.LongestLife / LooksForEachLife, MostWait) : 0;
                await Task.Delay(TimeSpan.FromMilliseconds(Math.Max(wait, LeastWait)), time, _stop.Token)
                    .ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
        {
            // The store is being closed.
        }

        Save();
    }

    private void Save()
    {
        if (!_isUnsaved || _file is null) return;
        (_isUnsaved, _saved) = (false, Stopwatch.GetTimestamp());
        Guarded(() => _file.Write(_known));
    }

    private void Guarded(Action action)
    {
        try
        {
            action();
        }
        catch (FasterException e)
        {
            _store.OnFault(e); // what is not known is read again
        }
    }

    // Whether there is nothing to do for a while.
    private async Task<bool> LookAsync()
    {
        try
        {
            long until = FindDead();
            while (until == 0 && await TryMeasureNextOrPassAsync().ConfigureAwait(false)) until = FindDead();
            if (Stopwatch.GetElapsedTime(_saved) >= SaveEvery) Save();
            if (until == 0) return true;
            CompactionResult result = await _truncation.CompactAsync(until).ConfigureAwait(false);
            if (result.BytesReclaimed == 0) return true; // somebody writes a large value there
            if (_commit is not null) await _commit().WaitAsync(_stop.Token).ConfigureAwait(false);
            return false;
        }
        catch (Exception e) when (e is not (OperationCanceledException or ObjectDisposedException))
        {
            _store.OnFault(e);
            return true;
        }
    }

    // The end of the first parts of which half is dead together; 0: there are none.
    private long FindDead()
    {
        long begin = _log.BeginAddress;
        _known.RemoveAll(part => part.Until <= begin);
        long all = 0, dead = 0, now = _store.Clock.Now;
        foreach (ExpiryHistogram part in _known)
        {
            all += part.Bytes;
            dead += part.DeadAt(now);
            if (dead > 0 && dead >= all - dead) return part.Until;
        }

        return 0;
    }

    // What is given up while it is measured can't be read, and needs no measure.
    private async Task<bool> TryMeasureNextOrPassAsync()
    {
        long begin = _log.BeginAddress;
        try
        {
            return await TryMeasureNextAsync().ConfigureAwait(false);
        }
        catch (FasterException) when (_log.BeginAddress > begin)
        {
            return true;
        }
    }

    // False: all is known, or in memory.
    private async Task<bool> TryMeasureNextAsync()
    {
        long begin = _log.BeginAddress, head = _log.HeadAddress;
        _known.RemoveAll(part => part.Until <= begin);
        long from = _known.Count == 0 ? begin : _known[^1].Until;
        long until = _log.PageStartOf(from + Math.Max((head - begin) / Parts, _log.PageSize));
        if (until <= from || until > head) return false;
        var measured = new ExpiryHistogram(from, until, _store.Clock.Now);
        using var page = new PageCopy<TProbe>(_store.Epochs, _log, _storage, Owner);
        for (RecordBoundary at = _log.WalkStartOf(from); at.Address < until;)
        {
            _stop.Token.ThrowIfCancellationRequested();
            await page.FetchAsync(at, until).ConfigureAwait(false);
            RecordBoundary end = CountAll(measured, page);
            TimeSpan pause = _pace.After(end.Address - at.Address, _log.TailAddress);
            at = end;
            if (pause > TimeSpan.Zero) await Task.Delay(pause, _stop.Token).ConfigureAwait(false);
        }

        _known.Add(measured);
        if (_known.Count > ExpiryFile.MostParts) Halve();
        _isUnsaved = true;
        return true;
    }

    private RecordBoundary CountAll(ExpiryHistogram bytes, PageCopy<TProbe> page)
    {
        RecordWalker walker = page.Fetched(out RecordBoundary end);
        while (walker.MoveNext()) Count(bytes, walker);
        return end;
    }

    private void Halve()
    {
        for (int i = 0; i + 1 < _known.Count; i++)
        {
            _known[i].Append(_known[i + 1]);
            _known.RemoveAt(i + 1);
        }
    }

    private unsafe void Count(ExpiryHistogram bytes, in RecordWalker walker)
    {
        if (LargeChunk.Is(walker.Header)) return; // is counted with its head
        long size = walker.Size + ChunkBytes(walker);
        if (!_fate.MayLive(walker.Address, walker.Header)) bytes.AddDead(size);
        else if (_log.Layout.Expiry(walker.Record) is var expiry && expiry == RecordExpiry.Never)
            bytes.AddLasting(size);
        else bytes.Add(size, expiry);
    }

    // Chunks die with their head, and compaction moves them with it, from whichever part they lie in.
    private unsafe long ChunkBytes(in RecordWalker walker)
    {
        if (!LargeHead.IsIn(walker.Header)) return 0;
        LargeHead head = LargeHead.AtEndOf(_log.Layout.Value(walker.Record));
        return head.IsSound(walker.Address) ? head.Length : 0;
    }
}
