using System.Diagnostics;
using Faster.Compaction.Copying;
using Faster.Compaction.Truncation;
using Faster.Invariants;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Compaction.Expiry;

/// <summary>
/// Reclaims the space of records that have expired: compacts the beginning of the log as soon as half of it is dead
/// (docs/internals/expiry-costs.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The known parts are consecutive, from the log's begin on, below the head, and at most
/// <see cref="ExpiryFile.MaxParts"/>.</item>
/// <item>A part's histogram is of what lay on disk, whose expiries do not change.</item>
/// </list>
/// <para>What has left memory is read once, in parts of a thirty-second of it. Each part becomes a histogram of the
/// times at which its bytes die: on disk expiries do not change. When half of the bytes of the first parts are dead,
/// these parts are compacted. So records that never expire retain the dead ones behind them only until there are more
/// dead bytes than live ones. Nothing is read before a session has set a time to live.</para>
/// <para><b>What counts.</b> A record is dead when it has expired, or when the log's own compaction would leave it
/// behind. One that has been superseded without a mark on it counts until it expires. In a log above another tier, what
/// was superseded or deleted leaves at <see cref="TieredOptions.HotLogSize"/>, and counts only from when it expires:
/// otherwise records would move below earlier than that size asks for.</para>
/// <para><b>What it costs.</b> For each byte that is copied, one or more are reclaimed, so a store whose records all
/// expire is written once, and read once more. The histograms are saved in the store's folder, from time to time and
/// when the store is closed, so that the next opening continues to read where the last one stopped. Reads are
/// rate-limited (<see cref="ReadRateLimiter"/>). Memory: about <see cref="ExpiryFile.MaxParts"/> histograms of 4 KiB,
/// and a page while one is read.</para>
/// <para>One background task for each log, which waits with its thread. Others may compact the same log: runs are
/// serialized, and a part that they have truncated is forgotten.</para>
/// </remarks>
internal sealed class ExpiredLogCompactor : Compactor
{
    private const string Owner = "the search for expired records";
    private const int Parts = 32;
    private const long MinWait = 20, MaxWait = 60_000, LooksForEachLife = 16;
    private const long Ahead = 64 << 20; // measured before a step, so that few of them make few commits

    private static readonly TimeSpan SaveEvery = TimeSpan.FromMinutes(1);

    private readonly StoreCore _core;
    private readonly PagedLog _log;
    private readonly LogStorage _storage;
    private readonly bool _isAbove; // another tier
    private readonly ExpiryFile? _file; // null where there is no folder
    private readonly ReadRateLimiter _pace;
    private readonly LogTruncation _truncation;
    private readonly LivenessFilter _liveness;
    private readonly List<ExpiryHistogram> _known = []; // consecutive parts, from the log's begin on
    private readonly Stack<ExpiryHistogram> _spare = []; // many new ones would survive collections, and few be used
    private TimeSpan? _wait; // none before the first look
    private bool _isUnsaved;
    private long _saved = Stopwatch.GetTimestamp();

    /// <summary>Makes a compactor that does not run yet.</summary>
    /// <param name="tier">The tier whose log it compacts.</param>
    /// <param name="truncation">Compacts and truncates the log.</param>
    /// <param name="file">The file for the histograms; null where there is no folder.</param>
    public ExpiredLogCompactor(Tier tier, LogTruncation truncation, ExpiryFile? file = null)
        : base(tier.PagedLog!.Gate, tier.Core.OnFault)
    {
        (_core, _log, _storage, _isAbove) = (tier.Core, tier.PagedLog, tier.Storage!, tier.Below is not null);
        (_truncation, _file) = (truncation, file);
        Time = _core.Options.TimeProvider;
        _pace = new ReadRateLimiter(_log.TailAddress, TimeProvider.System);
        _liveness = truncation.Liveness;
        Step = async (until, _) => (await truncation.CompactStepAsync(until).Here()).BytesReclaimed;
    }

    /// <summary>
    /// Compacts and truncates the log up to an address, without releasing the space; returns how many bytes of it were
    /// truncated.
    /// </summary>
    public Func<long, CancellationToken, Task<long>> Step { get; init; }

    /// <summary>Called when there is nothing, or nothing more, to compact now.</summary>
    public Action Rested { get; init; } = static () => { };

    /// <inheritdoc/>
    protected override async Task WaitAsync()
    {
        if (_wait is { } wait)
        {
            await BackgroundTasks.DelayAsync(wait, Time, Stopped).Here();
            return;
        }

        await _core.Clock.Begun.OrCanceled(Stopped).Here();
        _isUnsaved = !TryGuarded(() => _known.AddRange(_file?.Read(_log.BeginAddress) ?? []));
    }

    /// <inheritdoc/>
    protected override async Task<long> ChooseAsync()
    {
        _wait = Idle; // unless there is a step to make
        long until = FindDead();
        while ((until == 0 || KnownBytes < Ahead) && await TryMeasureNextOrPassAsync().Here()) until = FindDead();
        if (Stopwatch.GetElapsedTime(_saved) >= SaveEvery) Save();
        if (until == 0) Rested();
        return until;
    }

    /// <inheritdoc/>
    protected override async Task<long> StepAsync(long until)
    {
        long truncated = await Step(until, Stopped).Here();
        if (truncated != 0) _wait = TimeSpan.FromMilliseconds(MinWait);
        return truncated; // none: a large value is being written there, or another has done it
    }

    /// <inheritdoc/>
    protected override Task ReleaseAsync() => _truncation.ReleaseAsync();

    /// <inheritdoc/>
    protected override void OnStopped() => Save();

    private void Save()
    {
        if (!_isUnsaved || _file is null) return;
        (_isUnsaved, _saved) = (false, Stopwatch.GetTimestamp());
        _ = TryGuarded(() => _file.Write(_known));
    }

    private bool TryGuarded(Action action)
    {
        try
        {
            action();
            return true;
        }
        catch (FasterException e)
        {
            _core.OnFault(e); // what is not known is read again
            return false;
        }
    }

    private TimeSpan Idle => TimeSpan.FromMilliseconds(
        Math.Max(Math.Min(_core.Clock.ShortestLife / LooksForEachLife, MaxWait), MinWait));

    private long KnownBytes => _known.Count == 0 ? 0 : _known[^1].Until - _log.BeginAddress;

    // The end of the first parts that together are at least half dead, and of those behind them that are, too, as long
    // as little of them is copied: the space is released after the step. 0 if there are none.
    private long FindDead()
    {
        long begin = _log.BeginAddress, mostCopied = (_log.HeadAddress - begin) / Parts;
        ForgetTruncated(begin);
        long until = 0, copied = 0, all = 0, dead = 0, now = _core.Clock.Now;
        foreach (ExpiryHistogram part in _known)
        {
            all += part.Bytes;
            dead += part.DeadAt(now);
            if (dead == 0 || dead < all - dead) continue;
            copied += all - dead;
            if (until != 0 && copied > mostCopied) break;
            (until, all, dead) = (part.Until, 0, 0);
        }

        return until;
    }

    // What is truncated while it is being measured can't be read, and needs no histogram.
    private async Task<bool> TryMeasureNextOrPassAsync()
    {
        long begin = _log.BeginAddress;
        try
        {
            return await TryMeasureNextAsync().Here();
        }
        catch (FasterException) when (_log.BeginAddress > begin)
        {
            return true;
        }
    }

    // Returns false if everything is measured, or in memory.
    private async Task<bool> TryMeasureNextAsync()
    {
        long begin = _log.BeginAddress, head = _log.HeadAddress;
        ForgetTruncated(begin);
        long from = _known.Count == 0 ? begin : _known[^1].Until;
        long until = _log.PageStartOf(from + Math.Max((head - begin) / Parts, _log.PageSize));
        if (until <= from || until > head) return false;
        if (_spare.TryPop(out ExpiryHistogram? measured)) measured.Reuse(from, until, _core.Clock.Now);
        else measured = new ExpiryHistogram(from, until, _core.Clock.Now);
        using var page = new PageCopy(_core.Epochs, _log, _storage, Owner);
        for (RecordBoundary at = _log.WalkStartOf(from); at.Address < until;)
        {
            Stopped.ThrowIfCancellationRequested();
            await page.FetchAsync(at, until).Here();
            RecordBoundary end = CountAll(measured, page);
            TimeSpan pause = _pace.After(end.Address - at.Address, _log.TailAddress);
            at = end;
            if (pause > TimeSpan.Zero)
                await BackgroundTasks.DelayAsync(pause, TimeProvider.System, Stopped).Here();
        }

        Invariant.Check(
            _known.Count == 0 || _known[^1].Until == from,
            $"parts are consecutive: {from} to {until}, after {_known.Count} others");
        _known.Add(measured);
        if (_known.Count > ExpiryFile.MaxParts) Halve();
        _isUnsaved = true;
        return true;
    }

    private RecordBoundary CountAll(ExpiryHistogram bytes, PageCopy page)
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
            _spare.Push(_known[i + 1]);
            _known.RemoveAt(i + 1);
        }
    }

    private void ForgetTruncated(long begin)
    {
        int count = _known.FindIndex(part => part.Until > begin);
        if (count < 0) count = _known.Count;
        for (int i = 0; i < count; i++) _spare.Push(_known[i]);
        _known.RemoveRange(0, count);
    }

    private unsafe void Count(ExpiryHistogram bytes, in RecordWalker walker)
    {
        if (ValueFragment.Is(walker.Header)) return; // counted with its head
        long size = walker.Size + ChunkBytes(walker);
        bool isLeftBehind = (walker.Header & RecordHeader.Tombstone) != 0
            || !_liveness.MayLive(walker.Address, walker.Header);
        if (isLeftBehind && !_isAbove) bytes.AddDead(size);
        else if (_log.Layout.Expiry(walker.Record) is var expiry && expiry != RecordExpiry.Never)
            bytes.Add(size, expiry);
        else if (!isLeftBehind) bytes.AddLasting(size);
    }

    // Fragments die with their head, and compaction moves them with it, whichever part they lie in.
    private unsafe long ChunkBytes(in RecordWalker walker)
    {
        if (!LargeHead.IsIn(walker.Header)) return 0;
        LargeHead head = LargeHead.AtEndOf(_log.Layout.Value(walker.Record));
        return head.IsSound(walker.Address) ? head.Length : 0;
    }
}
