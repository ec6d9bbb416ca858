using System.Collections.Concurrent;
using System.Diagnostics;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices;

/// <summary>Transfers by an io_uring: no thread, one system call for many requests, none to take results.</summary>
/// <remarks>
/// <para>Invariants: a request has a slot from its start until it comes back, and one submission or completion of the
/// slot exists at a time, so completions never overflow; the slot holds the segment's file open, so truncation and
/// closing can't hand its number to another file; a short transfer goes on where it stopped, an interrupted or
/// cancelled one (its thread has ended) begins again.</para>
/// <para>Thread-safe, by two short locks. <c>_submitting</c> guards slots and submissions: a session fills its own
/// ring, so it is not contended there, and a ring for each thread would have to be drained when the thread ends.
/// <c>_consuming</c> is held by who takes completions, <i>also while he waits in the kernel</i>: so nobody can take
/// what would have ended his wait, and no wake-up is lost. Others get nothing meanwhile, and are told by him. It is
/// taken first where both are.</para>
/// <para>A wake is a flag, and the bell that carries it into the kernel a submission that does nothing. The waiter
/// says that he waits and then looks at the flag; the waker raises the flag and then looks whether somebody waits;
/// each with a full fence between, so one of the two sees the other.</para>
/// </remarks>
internal sealed unsafe class RingQueue : IoQueue
{
    /// <summary>Beyond it a disk gains nothing, and a deeper queue would only make the system block.</summary>
    public const int MostDepth = 128;

    private const ulong Bell = ulong.MaxValue;
    private static readonly TimeSpan StuckPatience = TimeSpan.FromMilliseconds(1);

    private readonly RingCalls _calls;
    private readonly IoRing _ring;
    private readonly SegmentRoute _route;
    private readonly Lock _submitting = new();
    private readonly object _consuming = new();
    private readonly Slot[] _slots;
    private readonly Stack<int> _free = new();
    private readonly Queue<IoRequest> _waiting = new();           // for a slot
    private readonly Queue<int> _stuck = new();                   // slots that found no room in the ring
    private readonly ConcurrentQueue<IoRequest> _done = new();    // what came back without the kernel
    private int _inside;
    private int _wants;     // how many completions a thread in Wait waits for; 0 when there is none
    private int _woken;
    private bool _closed;

    private RingQueue(RingCalls calls, IoRing ring, SegmentRoute route)
    {
        _calls = calls;
        _ring = ring;
        _route = route;
        Depth = Math.Min(ring.Entries, MostDepth);
        _slots = new Slot[Depth];
        for (int i = Depth - 1; i >= 0; i--) _free.Push(i);
    }

    /// <inheritdoc/>
    public override int Depth { get; }

    private bool HasDone => !_done.IsEmpty || _ring.HasCompletion;

    private bool IsStuck => _stuck.Count != 0 || _ring.Unsubmitted != 0;

    /// <summary>Makes a queue with a ring of its own.</summary>
    /// <param name="calls">The system.</param>
    /// <param name="route">The files.</param>
    /// <param name="ownerWaits">Whether the thread that submits is the one that waits, mostly.</param>
    /// <param name="held">What stays open until every transfer has ended; null: nothing.</param>
    /// <param name="refusal">Why there is none.</param>
    public static RingQueue? TryCreate(
        RingCalls calls, SegmentRoute route, bool ownerWaits, SafeFileHandle? held, out string? refusal)
    {
        IoRing? ring = IoRing.TryCreate(calls, MostDepth, ownerWaits, out refusal);
        if (ring is null) return null;
        if (held is null || ring.TryHold(held, out refusal)) return new RingQueue(calls, ring, route);
        ring.Dispose();
        return null;
    }

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IoRequest> requests)
    {
        lock (_submitting)
        {
            ObjectDisposedException.ThrowIf(_closed, this);
            foreach (IoRequest request in requests) Begin(request);
            FlushUnderLock();
        }

        TellOfDone();
    }

    /// <inheritdoc/>
    public override void Add(IoRequest request)
    {
        lock (_submitting)
        {
            ObjectDisposedException.ThrowIf(_closed, this);
            Begin(request);
        }

        TellOfDone();
    }

    /// <inheritdoc/>
    public override void Flush()
    {
        lock (_submitting)
        {
            if (!_closed) FlushUnderLock();
        }
    }

    /// <inheritdoc/>
    public override int Poll(Span<IoRequest> completed)
    {
        bool mayHave = !_done.IsEmpty || (!_closed && (_ring.HasCompletion || _ring.HasWork || IsStuck));
        if (completed.IsEmpty || !mayHave || !Monitor.TryEnter(_consuming)) return 0;
        try
        {
            int taken = Take(completed);
            if (taken != 0 || _closed || !_ring.HasWork) return taken;
            _ring.Wait(0, TimeSpan.Zero);
            return Take(completed);
        }
        finally
        {
            Monitor.Exit(_consuming);
        }
    }

    /// <inheritdoc/>
    public override bool Wait(TimeSpan timeout, int wanted = 1)
    {
        long start = Stopwatch.GetTimestamp();
        if (!Monitor.TryEnter(_consuming, timeout)) return false;
        try
        {
            Volatile.Write(ref _wants, wanted);
            Interlocked.MemoryBarrier();
            for (;;)
            {
                Flush();
                DropBells();
                if (HasDone) return true;
                if (Interlocked.Exchange(ref _woken, 0) != 0) return false;
                bool forEver = timeout == Timeout.InfiniteTimeSpan;
                TimeSpan left = forEver ? timeout : timeout - Stopwatch.GetElapsedTime(start);
                if (!forEver && left <= TimeSpan.Zero) return false;
                // What the kernel would not begin has nothing that could end the wait.
                if (IsStuck && (forEver || left > StuckPatience)) left = StuckPatience;
                int most = Math.Max(Volatile.Read(ref _inside), 1);
                int entered = _ring.Wait(Math.Min(wanted, most), left);
                if (IsUnable(entered)) Thread.Sleep(StuckPatience);
            }
        }
        finally
        {
            Volatile.Write(ref _wants, 0);
            Monitor.Exit(_consuming);
        }
    }

    /// <inheritdoc/>
    public override void Wake()
    {
        if (Interlocked.Exchange(ref _woken, 1) == 0) RingBell();
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        if (_closed) return;
        var batch = new IoRequest[Depth];
        List<IoRequest> done = [];
        while (Volatile.Read(ref _inside) != 0 || _waiting.Count != 0)
        {
            int taken = Poll(batch);
            done.AddRange(batch.AsSpan(0, taken));
            if (taken == 0) Wait(Timeout.InfiniteTimeSpan);
        }

        lock (_submitting)
        {
            _closed = true;
            _ring.Dispose();
        }

        foreach (IoRequest request in done) _done.Enqueue(request);
    }

    private static bool IsUnable(int entered) =>
        -entered is DeviceErrors.TryAgain or DeviceErrors.Busy or DeviceErrors.OutOfMemory;

    private void Begin(IoRequest request)
    {
        request.Error = null;
        if (_free.Count == 0)
        {
            _waiting.Enqueue(request);
            return;
        }

        try
        {
            if (_route.Find(request, out FasterException? error) is not { } segment)
            {
                GiveBack(request, error);
                return;
            }

            int slot = _free.Pop();
            _slots[slot] = new Slot { Request = request, Segment = segment, File = segment.File };
            Volatile.Write(ref _inside, _inside + 1);
            Fill(slot);
        }
        catch (Exception e)
        {
            GiveBack(request, _route.ErrorOf(request, e));
        }
    }

    private void GiveBack(IoRequest request, Exception? error)
    {
        request.Error = error;
        _done.Enqueue(request);
    }

    private void Fill(int number)
    {
        SubmissionEntry* entry = _ring.TryReserve();
        if (entry == null)
        {
            _stuck.Enqueue(number);
            return;
        }

        ref Slot slot = ref _slots[number];
        IoRequest request = slot.Request;
        slot.Unbuffered = slot.Segment.IsUnbuffered;
        entry->Operation = request.Kind == IoKind.Read ? RingLayout.Read : RingLayout.Write;
        entry->Flags = slot.OnWorker ? RingLayout.OnWorker : (byte)0;
        entry->File = slot.File;
        entry->Offset = (ulong)(_route.OffsetOf(request) + slot.Done);
        entry->Address = (ulong)(request.Buffer + slot.Done);
        entry->Length = (uint)(request.Length - slot.Done);
        entry->Tag = (ulong)number;
        _ring.Publish();
    }

    private void FlushUnderLock()
    {
        for (;;)
        {
            for (int stuck = _stuck.Count; stuck > 0; stuck--) Fill(_stuck.Dequeue());
            uint count = _ring.Unsubmitted;
            if (count == 0) return;
            int begun = _ring.Submit(count);
            if (begun == 0 || IsUnable(begun)) return; // tried again by the next flush, poll or wait
            if (begun < 0 && begun != -DeviceErrors.InterruptedCall) FailUnsubmitted(-begun);
        }
    }

    // The kernel refuses the call itself: what it has not taken would lie there for ever.
    private void FailUnsubmitted(int error)
    {
        while (_ring.TryWithdraw(out SubmissionEntry entry))
        {
            if (entry.Tag == Bell) continue;
            IoRequest request = Free((int)entry.Tag);
            GiveBack(request, _route.ErrorOf(request, DeviceErrors.FromNumber(error)));
        }
    }

    private int Take(Span<IoRequest> completed)
    {
        int taken = 0;
        while (taken < completed.Length && _done.TryDequeue(out IoRequest? done)) completed[taken++] = done;
        lock (_submitting)
        {
            if (_closed) return taken;
            while (taken < completed.Length && _ring.TryPeek(out CompletionEntry completion))
            {
                _ring.Advance();
                if (completion.Tag == Bell || !TryFinish((int)completion.Tag, completion.Result)) continue;
                completed[taken++] = Free((int)completion.Tag);
            }

            while (_free.Count != 0 && _waiting.TryDequeue(out IoRequest? next)) Begin(next);
            FlushUnderLock();
        }

        return taken;
    }

    /// <summary>Looks at a result.</summary>
    /// <returns>False when the request goes on.</returns>
    private bool TryFinish(int number, int kernelResult)
    {
        ref Slot slot = ref _slots[number];
        IoRequest request = slot.Request;
        // A write that failed may have written a part.
        if (request.Kind == IoKind.Write) slot.Segment.MarkWritten();
        try
        {
            int result = _calls.ResultOf(request, kernelResult);
            if (slot.Done + result >= request.Length) return true;
            if (result < 0 && !TryMend(ref slot, -result)) throw DeviceErrors.FromNumber(-result);
            if (result >= 0)
            {
                int next = _route.Next(slot.Segment, slot.Done + result);
                if (next <= slot.Done && request.Kind == IoKind.Read)
                {
                    request.Error = _route.EndOfData(slot.Segment, request, slot.Done);
                    return true;
                }

                if (next <= slot.Done) throw new IOException("The system has written nothing, and does not say why.");
                slot.Done = next;
            }

            Fill(number);
            return false;
        }
        catch (Exception e)
        {
            request.Error = _route.ErrorOf(request, e);
            return true;
        }
    }

    private bool TryMend(ref Slot slot, int error)
    {
        // Where it may block it is not told to try again.
        if (error == DeviceErrors.TryAgain) return slot.OnWorker = true;
        if (error is DeviceErrors.InterruptedCall or DeviceErrors.Cancelled) return true;
        return error == DeviceErrors.InvalidArgument && slot.Unbuffered && _route.Files.FallBack(slot.Segment);
    }

    private IoRequest Free(int number)
    {
        IoRequest request = _slots[number].Request;
        _slots[number].Segment.LetGo();
        _slots[number] = default;
        _free.Push(number);
        Volatile.Write(ref _inside, _inside - 1);
        return request;
    }

    private void DropBells()
    {
        while (_ring.TryPeek(out CompletionEntry completion) && completion.Tag == Bell) _ring.Advance();
    }

    // A waiter in the kernel would not see what came back without it.
    private void TellOfDone()
    {
        if (_done.IsEmpty) return;
        Interlocked.MemoryBarrier();
        RingBell();
    }

    private void RingBell()
    {
        if (Volatile.Read(ref _wants) == 0) return;
        lock (_submitting)
        {
            if (_closed) return;
            for (int i = Volatile.Read(ref _wants); i > 0; i--)
            {
                SubmissionEntry* entry = _ring.TryReserve();
                if (entry == null) break;
                entry->Operation = RingLayout.Nothing;
                entry->Tag = Bell;
                _ring.Publish();
            }

            FlushUnderLock();
        }
    }

    private struct Slot
    {
        public IoRequest Request;
        public Segment Segment;
        public int File;
        public int Done;         // bytes
        public bool Unbuffered;  // as it was begun
        public bool OnWorker;
    }
}
