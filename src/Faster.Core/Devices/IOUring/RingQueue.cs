using System.Collections.Concurrent;
using System.Diagnostics;
using Faster.Devices.Segments;
using Faster.Invariants;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices.IOUring;

/// <summary>Transfers by an io_uring: no threads, one system call for many requests, none to read results.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A request has a slot from its start until it is returned, and the slot has one submission or completion at a
/// time, so completions never overflow.</item>
/// <item>A request has the route of its device, of which several may share the ring.</item>
/// <item>The slot holds the segment's file open, so that truncation and closing can't give its number to another
/// file.</item>
/// <item>A short transfer continues where it stopped; an interrupted or canceled one (its thread has ended) starts
/// again.</item>
/// </list>
/// <para>Thread-safe, by two short locks. <c>_submitting</c> guards slots and submissions: a session fills its own
/// ring, so the lock is not contended there; a ring for each thread would have to be drained when the thread ends.
/// <c>_consuming</c> is held by the thread that reads completions, <i>also while it waits in the kernel</i>: so no
/// other thread can take what would have ended its wait, and no wake-up is lost. Other threads get nothing meanwhile;
/// the waiting thread notifies them. It is taken first where both are.</para>
/// <para>A wake is a flag; the bell that carries it into the kernel is a submission that does nothing. The waiter
/// announces that it waits and then reads the flag; the waking thread raises the flag and then reads whether a thread
/// waits; each has a full fence between the two steps, so at least one of them sees the other.</para>
/// </remarks>
internal sealed unsafe class RingQueue : IOQueue
{
    /// <summary>A disk gains nothing from more, and a deeper queue would only make the system block.</summary>
    public const int MaxDepth = 128;

    private const ulong Bell = ulong.MaxValue;
    private static readonly TimeSpan StuckTimeout = TimeSpan.FromMilliseconds(1);

    private readonly RingCalls _calls;
    private readonly IORing _ring;
    private readonly SegmentRoute _route;
    private readonly Lock _submitting = new();
    private readonly object _consuming = new();
    private readonly RingSlots _slots;
    private readonly Queue<(IORequest Request, SegmentRoute Route)> _waiting = new();    // wait for a slot
    private readonly Queue<int> _stuck = new();                   // slots that found no space in the ring
    private readonly ConcurrentQueue<IORequest> _done = new();    // completed without the kernel
    private int _wants;     // the completions that a thread in Wait waits for; 0 without one
    private int _woken;
    private bool _closed;

    private RingQueue(RingCalls calls, IORing ring, SegmentRoute route)
    {
        _calls = calls;
        _ring = ring;
        _route = route;
        Depth = Math.Min(ring.Entries, MaxDepth);
        _slots = new RingSlots(Depth);
    }

    /// <inheritdoc/>
    public override int Depth { get; }

    private bool HasDone => !_done.IsEmpty || _ring.HasCompletion;

    private bool IsStuck => _stuck.Count != 0 || _ring.Unsubmitted != 0;

    /// <summary>Creates a queue with its own ring.</summary>
    /// <param name="calls">The system calls.</param>
    /// <param name="route">The files of the device that opens it.</param>
    /// <param name="ownerWaits">Whether the thread that submits is usually the one that waits.</param>
    /// <param name="held">A file that stays open until every transfer has ended; or null.</param>
    /// <param name="refusal">The reason why there is no queue.</param>
    public static RingQueue? TryCreate(
        RingCalls calls, SegmentRoute route, bool ownerWaits, SafeFileHandle? held, out string? refusal)
    {
        IORing? ring = IORing.TryCreate(calls, MaxDepth, ownerWaits, out refusal);
        if (ring is null) return null;
        if (held is null || ring.TryHold(held, out refusal)) return new RingQueue(calls, ring, route);
        ring.Dispose();
        return null;
    }

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IORequest> requests) => Submit(requests, _route);

    /// <summary>As <see cref="Submit(ReadOnlySpan{IORequest})"/>, for another device.</summary>
    public void Submit(ReadOnlySpan<IORequest> requests, SegmentRoute route)
    {
        lock (_submitting)
        {
            ObjectDisposedException.ThrowIf(_closed, this);
            foreach (IORequest request in requests) Begin(request, route);
            FlushUnderLock();
        }

        TellOfDone();
    }

    /// <inheritdoc/>
    public override void Add(IORequest request) => Add(request, _route);

    /// <summary>As <see cref="Add(IORequest)"/>, for another device.</summary>
    public void Add(IORequest request, SegmentRoute route)
    {
        lock (_submitting)
        {
            ObjectDisposedException.ThrowIf(_closed, this);
            Begin(request, route);
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
    public override int Poll(Span<IORequest> completed)
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
                bool isInfinite = timeout == Timeout.InfiniteTimeSpan;
                TimeSpan left = isInfinite ? timeout : timeout - Stopwatch.GetElapsedTime(start);
                if (!isInfinite && left <= TimeSpan.Zero) return false;
                // A request that the kernel would not start has no completion that could end the wait.
                if (IsStuck && (isInfinite || left > StuckTimeout)) left = StuckTimeout;
                int most = Math.Max(_slots.Inside, 1);
                int entered = _ring.Wait(Math.Min(wanted, most), left);
                if (DeviceErrors.IsOverload(-entered)) Thread.Sleep(StuckTimeout);
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
        var batch = new IORequest[Depth];
        List<IORequest> done = [];
        while (_slots.Inside != 0 || _waiting.Count != 0)
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

        foreach (IORequest request in done) _done.Enqueue(request);
    }

    private void Begin(IORequest request, SegmentRoute route)
    {
        request.Error = null;
        if (!_slots.HasFree)
        {
            _waiting.Enqueue((request, route));
            return;
        }

        try
        {
            if (route.Find(request, out FasterException? error) is not { } segment)
            {
                GiveBack(request, error);
                return;
            }

            Fill(_slots.Take(request, segment, route));
        }
        catch (Exception e)
        {
            GiveBack(request, route.ErrorOf(request, e));
        }
    }

    private void GiveBack(IORequest request, Exception? error)
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

        ref RingSlots.Slot slot = ref _slots[number];
        IORequest request = slot.Request;
        slot.Unbuffered = slot.Segment.IsUnbuffered;
        entry->Operation = request.Kind == IOKind.Read ? RingLayout.Read : RingLayout.Write;
        entry->Flags = slot.OnWorker ? RingLayout.OnWorker : (byte)0;
        entry->File = slot.File;
        entry->Offset = (ulong)(slot.Route.OffsetOf(request) + slot.Done);
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
            if (begun == 0 || DeviceErrors.IsOverload(-begun)) return; // the next flush, poll or wait retries
            if (begun < 0 && begun != -DeviceErrors.InterruptedCall) FailUnsubmitted(-begun);
        }
    }

    // The kernel refuses the call itself: requests that it has not taken would stay there indefinitely.
    private void FailUnsubmitted(int error)
    {
        while (_ring.TryWithdraw(out SubmissionEntry entry))
        {
            if (entry.Tag == Bell) continue;
            SegmentRoute route = _slots[(int)entry.Tag].Route;
            IORequest request = _slots.Release((int)entry.Tag);
            GiveBack(request, route.ErrorOf(request, DeviceErrors.FromNumber(error)));
        }
    }

    private int Take(Span<IORequest> completed)
    {
        int taken = 0;
        while (taken < completed.Length && _done.TryDequeue(out IORequest? done)) completed[taken++] = done;
        lock (_submitting)
        {
            if (_closed) return taken;
            while (taken < completed.Length && _ring.TryPeek(out CompletionEntry completion))
            {
                _ring.Advance();
                if (completion.Tag == Bell) continue;
                _slots.CheckIsInside(completion.Tag);
                if (!TryFinish((int)completion.Tag, completion.Result)) continue;
                completed[taken++] = _slots.Release((int)completion.Tag);
            }

            while (_slots.HasFree && _waiting.TryDequeue(out (IORequest Request, SegmentRoute Route) next))
                Begin(next.Request, next.Route);
            FlushUnderLock();
        }

        return taken;
    }

    /// <summary>Handles a result.</summary>
    /// <returns>False when the request continues.</returns>
    private bool TryFinish(int number, int kernelResult)
    {
        ref RingSlots.Slot slot = ref _slots[number];
        IORequest request = slot.Request;
        // A failed write may have written some of the bytes.
        if (request.Kind == IOKind.Write) slot.Segment.MarkWritten();
        try
        {
            int result = _calls.ResultOf(request, kernelResult);
            Invariant.Check(
                result <= request.Length - slot.Done,
                $"the kernel transfers no more than is asked for: {result}, of {request.Length} after {slot.Done}");
            if (slot.Done + result >= request.Length) return true;
            if (result < 0 && !TryMend(ref slot, -result)) throw DeviceErrors.FromNumber(-result);
            if (result >= 0)
            {
                int next = slot.Route.Next(slot.Segment, slot.Done + result);
                if (next <= slot.Done && request.Kind == IOKind.Read)
                {
                    request.Error = slot.Route.EndOfData(slot.Segment, request, slot.Done);
                    return true;
                }

                if (next <= slot.Done) throw new IOException("The system wrote no bytes and reported no error.");
                slot.Done = next;
            }

            Fill(number);
            return false;
        }
        catch (Exception e)
        {
            request.Error = slot.Route.ErrorOf(request, e);
            return true;
        }
    }

    private static bool TryMend(ref RingSlots.Slot slot, int error)
    {
        // A worker may block, so it does not return EAGAIN.
        if (error == DeviceErrors.TryAgain) return slot.OnWorker = true;
        if (error is DeviceErrors.InterruptedCall or DeviceErrors.Cancelled) return true;
        return error == DeviceErrors.InvalidArgument && slot.Unbuffered
            && slot.Route.Files.FallBackToCache(slot.Segment);
    }

    private void DropBells()
    {
        while (_ring.TryPeek(out CompletionEntry completion) && completion.Tag == Bell) _ring.Advance();
    }

    // A waiter in the kernel would not see requests that completed without it.
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
}
