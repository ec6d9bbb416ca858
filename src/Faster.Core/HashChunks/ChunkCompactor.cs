using System.Runtime.InteropServices;
using Faster.Compaction;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Store.Operations;

namespace Faster.HashChunks;

/// <summary>
/// Keeps the chunk log near its size: copies the chunks whose newest record lies in its oldest part to the tail, and
/// truncates that part.
/// </summary>
/// <remarks>
/// <para>The directory says which records are live, so nothing is scanned but its eight bytes a chunk. Chunks on disk
/// are read page by page (<see cref="ChunkSweep{TProbe}"/>); where few lie in a page, alone and many at a time.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Begin rises to an address below which the directory leads to no record, and an epoch later
/// (<see cref="TruncationSteps{TProbe}"/>).</item>
/// <item>Space that a kept commit may need is not released.</item>
/// <item>While the log is a quarter above its size, operations may not append to it; compaction may.</item>
/// </list>
/// <para>One run at a time. Not thread-safe, apart from its task.</para>
/// </remarks>
internal sealed class ChunkCompactor<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const int Steps = 4, Excess = 4, MaxReads = 32;

    private readonly ChunkIndex<TProbe> _index;
    private readonly PagedLog<TProbe> _log;
    private readonly TruncationSteps<TProbe> _steps;
    private readonly CompactionLoop _loop;
    private readonly long _size;
    private long _runs;

    /// <summary>Creates a compactor that does not run yet.</summary>
    /// <param name="index">The index.</param>
    /// <param name="waits">How a step waits.</param>
    /// <param name="onFault">Called with errors, after which a step is tried again.</param>
    public ChunkCompactor(ChunkIndex<TProbe> index, IStepWaits waits, Action<Exception> onFault)
    {
        (_index, _log) = (index, index.Log.Pages);
        _steps = new TruncationSteps<TProbe>(_log, waits);
        Space = new DiskSpace(index.Log.Storage, 1);
        _size = index.Plan.DiskBudget != 0 ? index.Plan.DiskBudget : index.Plan.MinDiskBudget;
        _loop = new CompactionLoop(StepAsync, failure =>
        {
            onFault(failure);
            return true;
        });
    }

    /// <summary>The space that the log takes on its device.</summary>
    public DiskSpace Space { get; init; }

    /// <summary>Whether commits release what is truncated, because one that is kept may need it.</summary>
    public bool CommitsRelease { get; init; }

    /// <inheritdoc cref="TruncationSteps{TProbe}.Rising"/>
    public SemaphoreSlim Rising => _steps.Rising;

    /// <summary>The number of runs that have truncated the log.</summary>
    public long Runs => Volatile.Read(ref _runs);

    private long Bytes => _log.TailAddress - _log.BeginAddress;

    /// <summary>Starts the task.</summary>
    public void Start() => _loop.Start();

    /// <summary>Stops the task, and waits for it.</summary>
    public void Dispose() => _loop.Dispose();

    /// <summary>Copies what is live below an address to the tail, and truncates the log there.</summary>
    /// <param name="until">The start of a page, at most the tail; nothing happens if it is not above Begin.</param>
    /// <exception cref="FasterException">A chunk could not be read, or the log could not be written.</exception>
    /// <exception cref="OperationCanceledException">The compactor is disposed of.</exception>
    public async Task RunAsync(long until)
    {
        if (until <= _log.BeginAddress) return; // a device never gets what lies before the first record alone
        await _steps.ShiftReadOnlyAsync(until).ConfigureAwait(false);
        await Task.Run(() => BringBelow(until)).ConfigureAwait(false);
        await MoveBelowAsync(until).ConfigureAwait(false);
        await _steps.RunAsync(until, _index.Log.Flusher.FlushedAsync).ConfigureAwait(false);
        if (!CommitsRelease) Space.Release(until);
        Interlocked.Increment(ref _runs);
    }

    // In the order of their addresses, so that a page of the log is read once.
    private void BringBelow(long until)
    {
        List<long> places = [];
        for (long chunk = 0; chunk < _index.Directory.ChunkCount; chunk++)
        {
            long at = _index.Directory.AddressOf(chunk);
            if (at != 0 && at < until && !_index.IsStaged(chunk, at)) places.Add(at);
        }

        places.Sort();
        using var sweep = new ChunkSweep<TProbe>(_index, mayBeHeldBack: false);
        sweep.Run(CollectionsMarshal.AsSpan(places), (_, _) => _loop.Stopped.ThrowIfCancellationRequested());
    }

    // What is left: chunks in memory, and those that a sweep did not bring.
    private async Task MoveBelowAsync(long until)
    {
        long count = _index.Directory.ChunkCount;
        List<long> unread = [];
        for (long chunk = 0; chunk < count; chunk++)
        {
            if (!TryMove(chunk, until)) unread.Add(chunk);
            if (unread.Count != MaxReads && chunk != count - 1) continue;
            _loop.Stopped.ThrowIfCancellationRequested();
            await MoveReadAsync(unread, until).ConfigureAwait(false);
        }
    }

    // A chunk that other reads have displaced before it was moved is read again.
    private async Task MoveReadAsync(List<long> unread, long until)
    {
        while (unread.Count != 0)
        {
            await Task.WhenAll(unread.Select(ReadAsync)).ConfigureAwait(false);
            unread.RemoveAll(chunk => TryMove(chunk, until));
        }
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
            },
            isHeldBack: false);
        return read.Task;
    }

    private unsafe bool TryMove(long chunk, long until)
    {
        EpochSlot* slot = _index.Epochs.Acquire("compaction of hash chunks");
        try
        {
            for (;;)
            {
                _index.Epochs.Enter(slot);
                Outcome moved = _index.MoveUnderEpoch(chunk, until);
                _index.Epochs.Leave(slot);
                if (moved != Outcome.Retry) return moved == Outcome.Ok;
            }
        }
        finally
        {
            _index.Epochs.Release(slot);
        }
    }

    private async Task StepAsync()
    {
        try
        {
            await _log.Gate.WaitForAsync(() => Bytes >= _size, _loop.Stopped).ConfigureAwait(false);
            _index.IsHeldBack = Bytes >= _size + (_size / Excess);
            await RunAsync(_log.PageStartOf(_log.BeginAddress + (Bytes / Steps))).ConfigureAwait(false);
        }
        finally
        {
            _index.IsHeldBack = false; // also after a failure: rather too large than at a stop
            _log.Gate.Signal();
        }
    }
}
