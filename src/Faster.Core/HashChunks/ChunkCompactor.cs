using System.Runtime.ExceptionServices;
using Faster.Compaction;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Threads;

namespace Faster.HashChunks;

/// <summary>
/// Keeps the chunk log near its size: copies the chunks whose newest record lies in its oldest part to the tail, and
/// truncates that part.
/// </summary>
/// <remarks>
/// <para>The directory says which records are live, so nothing is scanned but its eight bytes a chunk. Chunks on disk
/// are read page by page (<see cref="ChunkSweep"/>); where few lie in a page, alone and many at a time.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Begin rises to an address below which the directory leads to no record, and an epoch later
/// (<see cref="TruncationSteps"/>).</item>
/// <item>Space that a kept commit may need is not released.</item>
/// <item>While the log is a quarter above its size, copies of records wait (<see cref="IsFull"/>): with a disk budget
/// what kept commits hold is counted, and commits release it. No copy waits for a compaction that has failed.</item>
/// </list>
/// <para>In a store whose cold records expire, chunks may die altogether, and the log would keep the size of all of
/// them. So it is compacted as a whole when it has become four times as large as its live chunks, by a sample that is
/// taken when the begin of the cold log has risen (<see cref="LookForDead"/>).</para>
/// <para>A chunk that can't be read stays where it is, and so does what lies above it in the log; a retry copies no
/// chunk again.</para>
/// <para>Memory: the places of a 64th of the chunks, at least of 1,024, and a sweep's pages.</para>
/// <para>One run at a time. Not thread-safe, apart from its task.</para>
/// </remarks>
internal sealed class ChunkCompactor : Compactor
{
    private const int Steps = 4, Excess = 4, MaxReads = 32, PartOfPlaces = 64, MinPlaces = 1024;
    private const int Sampled = 64, MostTimesLive = 4, MinPages = 4;

    private readonly ChunkIndex _index;
    private readonly PagedLog _log;
    private readonly TruncationSteps _steps;
    private readonly long _size; // in bytes on the device
    private readonly long[] _places; // of chunks
    private volatile bool _isRunning, _looks;
    private long _runs;
    private long _sampledAt = -1; // the begin of the cold log at the last sample
    private long _passEnd; // the log is compacted up to there, whatever its size
    private bool _isPassOver; // by the last step

    /// <summary>Creates a compactor that does not run yet.</summary>
    /// <param name="index">The index.</param>
    /// <param name="waits">How a step waits.</param>
    /// <param name="onFault">Called with errors, after which a step is tried again.</param>
    public ChunkCompactor(ChunkIndex index, IStepWaits waits, Action<Exception> onFault)
        : base(index.Log.Pages.Gate, onFault)
    {
        (_index, _log) = (index, index.Log.Pages);
        _steps = new TruncationSteps(_log, waits);
        Space = new DiskSpace(index.Log.Storage, _log.Pins, 1);
        _size = index.Plan.DiskBudget != 0 ? index.Plan.DiskBudget : index.Plan.MinDiskBudget;
        _places = new long[Math.Clamp(index.Plan.ChunkCount / PartOfPlaces, MinPlaces, Array.MaxLength)];
    }

    /// <summary>The space that the log takes on its device.</summary>
    public DiskSpace Space { get; init; }

    /// <summary>Whether the log has a disk budget, so that what kept commits hold of it counts.</summary>
    public bool HasBudget { get; init; }

    /// <summary>Called when copies that wait for the log may go on.</summary>
    public Action Freed { get; init; } = static () => { };

    /// <inheritdoc cref="TruncationSteps.Rising"/>
    public SemaphoreSlim Rising => _steps.Rising;

    /// <summary>The number of runs that have truncated the log.</summary>
    public long Runs => Volatile.Read(ref _runs);

    /// <summary>Whether the log takes more space than it may, since it can't be compacted.</summary>
    public override bool IsExceeded => Fails && HasBudget && Bytes > _size + (_size / Excess);

    /// <summary>Whether records that are copied must wait until this task has made the log smaller.</summary>
    public bool IsFull => _isRunning && !Fails && Bytes >= _size + (_size / Excess);

    private bool IsDue => Live >= _size || IsInPass;

    private bool IsInPass => _log.BeginAddress < _passEnd;

    private long Live => Space.BytesBetween(_log.BeginAddress, _log.TailAddress);

    private long Bytes => HasBudget ? Space.HeldUpTo(_log.TailAddress) : Live;

    /// <inheritdoc/>
    public override void Start()
    {
        _isRunning = true;
        base.Start();
    }

    /// <summary>Lets the task look whether the log is full.</summary>
    public void Wake() => _log.Gate.Signal();

    /// <summary>Lets the task look how many chunks have died, if the begin of the cold log has risen.</summary>
    public void LookForDead()
    {
        _looks = true;
        Wake();
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        _isRunning = false;
        base.Dispose();
    }

    /// <summary>Copies what is live below an address to the tail, and truncates the log there.</summary>
    /// <param name="until">The start of a page, at most the tail; nothing happens if it is not above Begin.</param>
    /// <exception cref="FasterException">
    /// A chunk could not be read, or the log could not be written. The log was truncated up to the first such chunk.
    /// </exception>
    /// <exception cref="OperationCanceledException">The compactor is disposed of.</exception>
    public async Task RunAsync(long until)
    {
        if (until <= _log.BeginAddress) return; // a device never gets what lies before the first record alone
        await _steps.ShiftReadOnlyAsync(until).Here();
        await BackgroundTasks.Run(() => BringBelow(until)).Here();
        try
        {
            await MoveBelowAsync(until).Here();
        }
        catch (FasterException)
        {
            await TruncateAsync(Math.Min(_log.PageStartOf(LowestAddress()), until)).Here();
            throw;
        }

        await TruncateAsync(until).Here();
    }

    /// <inheritdoc/>
    protected override Task WaitAsync() => _log.Gate.WaitForAsync(() => IsDue || IsFull || _looks, Stopped);

    /// <inheritdoc/>
    protected override async Task<long> ChooseAsync()
    {
        if (_looks) await LookAsync().Here();
        if (IsDue)
            return _log.PageStartOf(
                _log.BeginAddress + Math.Max((_log.TailAddress - _log.BeginAddress) / Steps, _log.PageSize));
        if (!IsFull) return 0;
        await Commit().OrCanceled(Stopped).Here(); // what was truncated is held by commits that are kept
        if (IsFull) await PauseAsync().Here(); // the store is being closed
        return 0;
    }

    /// <inheritdoc/>
    protected override async Task<long> StepAsync(long until)
    {
        long begin = _log.BeginAddress;
        bool isInPass = IsInPass;
        await RunAsync(until).Here();
        _isPassOver = isInPass && !IsInPass;
        return _log.BeginAddress - begin;
    }

    /// <inheritdoc/>
    /// <remarks>Released when it was truncated, or by commits.</remarks>
    protected override Task ReleaseAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    protected override bool MustCommit() => _isPassOver || (IsFull && HasBudget);

    /// <inheritdoc/>
    protected override void OnStepEnded() => Freed(); // if it has failed, too: rather too large than at a stop

    private async Task TruncateAsync(long until)
    {
        if (until <= _log.BeginAddress) return;
        await _steps.RunAsync(until, _index.Log.Flusher.FlushedAsync).Here();
        if (!Commits) Space.Release(until);
        Interlocked.Increment(ref _runs);
    }

    // No chunk comes to lie below it: copies are appended.
    private long LowestAddress()
    {
        long lowest = long.MaxValue;
        for (long chunk = 0; chunk < _index.Directory.ChunkCount; chunk++)
        {
            long at = _index.Directory.AddressOf(chunk);
            if (at != 0) lowest = Math.Min(lowest, at);
        }

        return lowest;
    }

    // In the order of their addresses, so that a page of the log is read once; as many at a time as there is memory for
    // their places. No more than that lie in a window of the log of so many records.
    private void BringBelow(long until)
    {
        using var sweep = new ChunkSweep(_index);
        long window = (long)_places.Length * _index.Log.RecordBytes;
        for (long from = _log.BeginAddress; from < until; from += window)
        {
            Span<long> places = PlacesIn(from, Math.Min(from + window, until));
            sweep.Run(places, (_, _) => Stopped.ThrowIfCancellationRequested());
        }
    }

    private Span<long> PlacesIn(long from, long until)
    {
        int count = 0;
        for (long chunk = 0; chunk < _index.Directory.ChunkCount; chunk++)
        {
            long at = _index.Directory.AddressOf(chunk);
            if (at >= from && at < until && !_index.IsStaged(chunk, at)) _places[count++] = at;
        }

        Span<long> places = _places.AsSpan(0, count);
        places.Sort();
        return places;
    }

    // What is left: chunks in memory, and those that a sweep did not bring.
    private async Task MoveBelowAsync(long until)
    {
        long count = _index.Directory.ChunkCount;
        List<long> unread = [];
        ExceptionDispatchInfo? failure = null;
        for (long chunk = 0; chunk < count; chunk++)
        {
            if (!TryMove(chunk, until)) unread.Add(chunk);
            if (unread.Count != MaxReads && chunk != count - 1) continue;
            Stopped.ThrowIfCancellationRequested();
            Exception? error = await MoveReadAsync(unread, until).Here();
            if (error is not null) failure ??= ExceptionDispatchInfo.Capture(error);
        }

        failure?.Throw();
    }

    // A chunk that other reads have displaced before it was moved is read again; one that can't be read stays.
    private async Task<Exception?> MoveReadAsync(List<long> unread, long until)
    {
        Exception? failure = null;
        while (unread.Count != 0)
        {
            Task[] reads = [.. unread.Select(ReadAsync)];
            foreach (Task read in reads) await read.HereQuietly();
            failure ??= reads.FirstOrDefault(static read => read.IsFaulted)?.Exception!.InnerException;
            for (int i = reads.Length - 1; i >= 0; i--) if (reads[i].IsFaulted) unread.RemoveAt(i);
            unread.RemoveAll(chunk => TryMove(chunk, until));
        }

        return failure;
    }

    private Task ReadAsync(long chunk)
    {
        var read = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _index.ReadChunk(
            chunk,
            error =>
            {
                if (error is null) read.SetResult();
                else read.SetException(error);
            });
        return read.Task;
    }

    private bool TryMove(long chunk, long until) => Outcome.Ok == UnderEpoch(
        static (index, chunk, until) => index.MoveUnderEpoch(chunk, until), chunk, until);

    private unsafe Outcome UnderEpoch(Func<ChunkIndex, long, long, Outcome> attempt, long chunk, long until = 0)
    {
        EpochSlot* slot = _index.Epochs.Acquire("compaction of hash chunks");
        try
        {
            for (;;)
            {
                _index.Epochs.Enter(slot);
                Outcome outcome = attempt(_index, chunk, until);
                _index.Epochs.Leave(slot);
                if (outcome != Outcome.Retry) return outcome;
            }
        }
        finally
        {
            _index.Epochs.Release(slot);
        }
    }

    // Takes every nth chunk that is linked for a sample of all.
    private async Task LookAsync()
    {
        _looks = false;
        long begin = _index.ColdBegin, bytes = _log.TailAddress - _log.BeginAddress;
        if (begin == _sampledAt || bytes <= MinPages * _log.PageSize) return;
        _sampledAt = begin;
        long linked = 0, seen = 0, sampled = 0, live = 0;
        for (long chunk = 0; chunk < _index.Directory.ChunkCount; chunk++)
            if (_index.Directory.AddressOf(chunk) != 0) linked++;
        long every = Math.Max(linked / Sampled, 1);
        for (long chunk = 0; chunk < _index.Directory.ChunkCount; chunk++)
        {
            if (_index.Directory.AddressOf(chunk) == 0 || seen++ % every != 0) continue;
            sampled++;
            if (await IsLiveAsync(chunk).Here()) live++;
        }

        long liveBytes = linked * live / Math.Max(sampled, 1) * _index.Log.RecordBytes;
        if (bytes / MostTimesLive > liveBytes) _passEnd = _log.PageStartOf(_log.TailAddress);
    }

    // A chunk that can't be read counts as live, and so does one that other reads have displaced.
    private async Task<bool> IsLiveAsync(long chunk)
    {
        Outcome found = FindLive(chunk);
        if (found == Outcome.EntryOnDisk)
        {
            Stopped.ThrowIfCancellationRequested();
            await ReadAsync(chunk).HereQuietly();
            found = FindLive(chunk);
        }

        return found != Outcome.NotFound;
    }

    private Outcome FindLive(long chunk) =>
        UnderEpoch(static (index, chunk, _) => index.FindLiveUnderEpoch(chunk), chunk);
}
