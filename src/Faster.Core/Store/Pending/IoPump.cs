using System.Collections.Concurrent;
using System.Diagnostics;
using Faster.Contracts;
using Faster.Devices;
using Faster.Log;

namespace Faster;

/// <summary>
/// The store's one thread for I/O: polls the device's completions, feeds the flusher, and continues operations that
/// somebody awaits.
/// </summary>
/// <remarks>
/// It never waits but for the device; whatever could block is put off to a later turn. What one completion, or one part
/// of a turn, throws is noted and concerns no other: a flusher or an operation that is not told would wait for ever.
/// </remarks>
internal sealed class IoPump<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private static readonly TimeSpan Idle = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(1);

    private readonly Device _device;
    private readonly PageFlusher<TProbe> _flusher;
    private readonly LogReader _reader;
    private readonly ConcurrentQueue<PendingOperation<TProbe>> _resumes = new();
    private readonly ConcurrentQueue<PendingOperation<TProbe>> _heldUp = new();
    private readonly IoRequest[] _completed = new IoRequest[64];
    private readonly Action<Exception> _onFault;
    private Thread? _thread; // once it runs
    private readonly ConcurrentQueue<ReadQueue> _toTakeOver = new();
    private readonly HashSet<ReadQueue> _takenOver = [];
    private long _lastHeldUp;   // when they were continued
    private bool _lookAgain;
    private volatile bool _stopping;

    /// <summary>Has no thread yet.</summary>
    public IoPump(Device device, PageFlusher<TProbe> flusher, LogReader reader, Action<Exception> onFault)
    {
        _device = device;
        _flusher = flusher;
        _reader = reader;
        reader.Starved = Wake;
        _onFault = onFault;
    }

    /// <summary>The session on which awaited operations are continued; set before <see cref="Start"/>.</summary>
    public FasterSession<TProbe>? Helper { get; set; }

    /// <summary>Takes an operation that a session's owner has not continued, while a commit waits for it.</summary>
    public Func<PendingOperation<TProbe>?>? Collect { get; set; }

    /// <summary>
    /// After how long operations that others hold up are continued again; none where a test's scheduler says who waits.
    /// </summary>
    public TimeSpan HeldUpPause { get; set; } = Soon;

    /// <summary>How often the thread has looked for work.</summary>
    public long Turns { get; private set; }

    /// <summary>Starts the thread.</summary>
    public void Start()
    {
        _thread = new Thread(Run) { IsBackground = true, Name = "Faster I/O" };
        _thread.Start();
    }

    /// <summary>Continues an operation on a later turn.</summary>
    public void Resume(PendingOperation<TProbe> operation)
    {
        _resumes.Enqueue(operation);
        _device.Wake();
    }

    /// <summary>
    /// Continues an operation again that others have held up for a while: once in a millisecond, without being woken.
    /// </summary>
    /// <returns>False: nothing came of it.</returns>
    public bool ResumeSoon(PendingOperation<TProbe> operation)
    {
        _heldUp.Enqueue(operation);
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

    /// <summary>Says, on the thread itself, that something is under way whose end wakes nobody.</summary>
    public void LookAgainSoon() => _lookAgain = true;

    /// <summary>Lets the thread look for work.</summary>
    public void Wake() => _device.Wake();

    /// <summary>Stops the thread when what is under way has come back.</summary>
    public void Dispose()
    {
        _stopping = true;
        _device.Wake();
        if (_thread is { } thread && Thread.CurrentThread != thread) thread.Join();
    }

    /// <summary>Does what there is to do; if there is nothing, waits for a while. For the thread itself.</summary>
    public void TakeTurn()
    {
        _lookAgain = false;
        bool worked = Guarded(static pump => pump.PollDevice());
        worked |= Guarded(static pump => pump._flusher.TryStep());
        worked |= Guarded(static pump => pump.ContinueSome());
        worked |= Guarded(static pump => pump.ContinueHeldUp());
        worked |= Guarded(static pump => pump.CollectSome());
        worked |= Guarded(static pump => pump.PollTakenOver());
        worked |= Guarded(static pump => pump.FeedStarving());
        Turns++;
        if (!worked) _device.Wait(_lookAgain || _takenOver.Count != 0 || !_heldUp.IsEmpty ? Soon : Idle);
    }

    private void Run()
    {
        while (!_stopping) TakeTurn();
    }

    // What one part of a turn throws must not keep the others from their work.
    private bool Guarded(Func<IoPump<TProbe>, bool> part)
    {
        try
        {
            return part(this);
        }
        catch (Exception e)
        {
            _onFault(e);
            return false;
        }
    }

    private bool PollDevice()
    {
        int count = _device.Poll(_completed);
        LogRequest.CompleteAll(_completed.AsSpan(0, count), _onFault);
        return count != 0;
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
        while (Collect!() is { } operation) progressed |= operation.ResumeOn(Helper!);
        return progressed;
    }

    private bool ContinueSome() => Continue(_resumes);

    private bool ContinueHeldUp()
    {
        if (_heldUp.IsEmpty || Stopwatch.GetElapsedTime(_lastHeldUp) < HeldUpPause) return false;
        _lastHeldUp = Stopwatch.GetTimestamp();
        return Continue(_heldUp);
    }

    private bool Continue(ConcurrentQueue<PendingOperation<TProbe>> operations)
    {
        // Only what is there now: an operation that has to wait comes back to the queue's end.
        int count = operations.Count;
        bool progressed = false;
        for (; count > 0 && operations.TryDequeue(out PendingOperation<TProbe>? operation); count--)
            progressed |= operation.ResumeOn(Helper!);
        return progressed;
    }
}
