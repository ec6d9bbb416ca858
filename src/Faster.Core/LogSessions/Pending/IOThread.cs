using System.Collections.Concurrent;
using System.Diagnostics;
using Faster.Devices;
using Faster.Log;
using Faster.Log.Reads;
using Faster.Tiers;

namespace Faster.LogSessions.Pending;

/// <summary>
/// A tier's thread for I/O: polls the device's completions, and hands what takes processor time to the
/// <see cref="BackgroundWorkers"/>: operations that a caller awaits, or that a commit waits for, and pages to
/// flush.
/// </summary>
/// <remarks>
/// It waits for nothing but the device, and runs no user code. It encodes pages itself while all workers are busy, so
/// that a slow user function does not stop flushing. What one completion, or one part of a turn, throws is noted and
/// does not keep the others from their work, nor does a device that can't wait: it is polled. Before
/// <see cref="Start"/>, as under a test's scheduler, there are no workers: then a turn does all of it.
/// </remarks>
internal sealed class IOThread : IIOThread
{
    private static readonly TimeSpan Idle = TimeSpan.FromSeconds(10); // all that gives it work wakes it
    private static readonly TimeSpan FaultPause = TimeSpan.FromMilliseconds(10); // after a wait that has thrown
    private static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(1);

    private readonly Tier _tier;
    private readonly Device _device;
    private readonly PageFlusher _flusher;
    private readonly LogReader _reader;
    private readonly ConcurrentQueue<PendingOperation> _resumes = new();
    private readonly ConcurrentQueue<PendingOperation> _heldUp = new();
    private readonly IORequest[] _completed = new IORequest[64];
    private readonly Action<Exception> _onFault;
    private Thread? _thread;                       // once it runs
    private BackgroundWorkers? _workers;   // likewise
    private readonly ConcurrentQueue<ReadQueue> _toTakeOver = new();
    private readonly HashSet<ReadQueue> _takenOver = [];
    private long _lastHeldUp;   // when they were continued
    private bool _lookAgain;
    private volatile bool _stopping;

    /// <summary>Has no thread yet, but a session. Made when all tiers of the store are there.</summary>
    /// <param name="tier">The tier, whose storage, flusher and reader are there.</param>
    public IOThread(Tier tier)
    {
        _tier = tier;
        _device = tier.Storage!.Device;
        _flusher = tier.Flusher!;
        _reader = tier.Reader!;
        _reader.Starved = Wake;
        _onFault = tier.Core.OnFault;
        Helper = LogStoreCore.Of(tier).StartInternal("the store's I/O thread");
    }

    /// <summary>The session on which operations are continued as long as there are no workers.</summary>
    public LogSession Helper { get; }

    /// <summary>
    /// After how long operations that others hold up are continued again; none where a test's scheduler says who waits.
    /// </summary>
    public TimeSpan HeldUpPause { get; set; } = Soon;

    /// <summary>How often the thread has looked for work.</summary>
    public long Turns { get; private set; }

    /// <summary>How often workers have continued an operation.</summary>
    public long Continued => _workers?.Continued ?? 0;

    /// <summary>The I/O thread of a tier, which has one.</summary>
    public static IOThread Of(Tier tier) => (IOThread)tier.IO!;

    /// <inheritdoc/>
    public void Start()
    {
        _workers = new BackgroundWorkers(_tier);
        _thread = new Thread(Run) { IsBackground = true, Name = "Faster I/O" };
        _thread.Start();
    }

    /// <summary>Continues an operation later, on a worker.</summary>
    public void Resume(PendingOperation operation)
    {
        if (_workers is { } workers)
        {
            workers.Add(operation);
            return;
        }

        _resumes.Enqueue(operation);
        _device.Wake();
    }

    /// <summary>
    /// Continues an operation again that others have held up for a while: once in a millisecond, without being woken.
    /// </summary>
    /// <returns>False: the operation has made no progress.</returns>
    public bool ResumeSoon(PendingOperation operation)
    {
        _heldUp.Enqueue(operation);
        if (_workers is not null) _device.Wake(); // another thread than this one has enqueued it
        return false;
    }

    /// <summary>
    /// Takes the completions of a session's own reads, whose owner waits without a thread, until none is under way. The
    /// device does not wake this thread for them, so it looks again and again for that time, which is short.
    /// </summary>
    public void TakeOver(ReadQueue queue)
    {
        _toTakeOver.Enqueue(queue);
        _device.Wake();
    }

    /// <summary>Notes, on the thread itself, that something is under way whose end does not wake it.</summary>
    public void LookAgainSoon() => _lookAgain = true;

    /// <inheritdoc/>
    public void Wake() => _device.Wake();

    /// <summary>
    /// Stops the thread and the workers after their current turns, and closes the session. The device takes what it has
    /// in flight back.
    /// </summary>
    public void Dispose()
    {
        _stopping = true;
        _device.Wake();
        if (_thread is { } thread && Thread.CurrentThread != thread) thread.Join();
        _workers?.Dispose();
        Helper.Close();
    }

    /// <summary>Does what there is to do; if there is nothing, waits for a while. For the thread itself.</summary>
    public void TakeTurn()
    {
        _lookAgain = false;
        bool worked = _tier.Core.Guarded(this, static ioThread => ioThread.PollDevice());
        worked |= _tier.Core.Guarded(this, static ioThread => ioThread.FlushSome());
        if (_workers is null) worked |= _tier.Core.Guarded(this, static ioThread => ioThread.ContinueSome());
        worked |= _tier.Core.Guarded(this, static ioThread => ioThread.ContinueHeldUp());
        worked |= _tier.Core.Guarded(this, static ioThread => ioThread.CollectSome());
        worked |= _tier.Core.Guarded(this, static ioThread => ioThread.PollTakenOver());
        worked |= _tier.Core.Guarded(this, static ioThread => ioThread.FeedStarving());
        Turns++;
        if (!worked && !_tier.Core.Guarded(this, static ioThread => ioThread.WaitForWork())) Thread.Sleep(FaultPause);
    }

    private void Run()
    {
        while (!_stopping) TakeTurn();
    }

    private bool WaitForWork()
    {
        _device.Wait(_lookAgain || _takenOver.Count != 0 || !_heldUp.IsEmpty ? Soon : Idle);
        return true;
    }

    private bool PollDevice()
    {
        int count = _device.PollTyped(_completed);
        LogRequest.CompleteAll(_completed.AsSpan(0, count), _onFault);
        return count != 0;
    }

    // A worker that was woken goes on until nothing is left to flush.
    private bool FlushSome()
    {
        if (_workers is null) return _flusher.TryStep();
        return _flusher.HasWork && !_workers.TryFlush() && _flusher.TryStep();
    }

    private bool PollTakenOver()
    {
        while (_toTakeOver.TryDequeue(out ReadQueue? queue)) _takenOver.Add(queue);
        bool worked = false;
        foreach (ReadQueue queue in _takenOver) worked |= queue.Poll();
        _takenOver.RemoveWhere(static queue => !queue.IsBusy);
        return worked;
    }

    // The device does not wake this thread for what comes back to sessions, so it looks again.
    private bool FeedStarving()
    {
        if (!_reader.IsStarving) return false;
        _lookAgain = true;
        return _reader.PollOwn();
    }

    private bool CollectSome()
    {
        bool progressed = false;
        while (PendingCollector.Take(_tier) is { } operation)
        {
            if (_workers is null) progressed |= operation.ResumeOn(Helper);
            else Resume(operation);
        }

        return progressed;
    }

    private bool ContinueSome() => Continue(_resumes);

    private bool ContinueHeldUp()
    {
        if (_heldUp.IsEmpty || Stopwatch.GetElapsedTime(_lastHeldUp) < HeldUpPause) return false;
        _lastHeldUp = Stopwatch.GetTimestamp();
        if (_workers is null) return Continue(_heldUp);
        for (int count = _heldUp.Count; count > 0 && _heldUp.TryDequeue(out PendingOperation? next); count--)
            Resume(next);
        return false;
    }

    private bool Continue(ConcurrentQueue<PendingOperation> operations)
    {
        // Only what is there now: an operation that has to wait comes back to the queue's end.
        int count = operations.Count;
        bool progressed = false;
        for (; count > 0 && operations.TryDequeue(out PendingOperation? operation); count--)
            progressed |= operation.ResumeOn(Helper);
        return progressed;
    }
}
