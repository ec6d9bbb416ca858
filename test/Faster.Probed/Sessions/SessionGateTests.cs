using Faster.Contracts;
using Faster.Epochs;
using Faster.Probes;
using Faster.Sessions;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Sessions;

/// <summary>
/// One call of a session is under way at a time, under the protection of its own epoch, and none when a thread has
/// closed it, under controlled schedules.
/// </summary>
public sealed class SessionGateTests
{
    private static readonly ExplorationOptions Sampled =
        new() { Schedules = TestBudget.Times(1500), PreemptionBound = 3 };

    [Fact]
    public void No_thread_is_inside_a_claimed_session() => Explorer.Run(Sampled, () => Closing()).AssertClean();

    [Fact]
    public void No_thread_is_inside_in_any_schedule_of_two_preemptions() => Explorer.AssertAllClean(() => Closing());

    [Fact]
    public void A_gate_that_was_shut_for_good_stays_shut() =>
        Explorer.Run(Sampled, () => Closing(shuts: true)).AssertClean();

    [Fact]
    public void Calls_of_several_threads_do_not_overlap() => Explorer.Run(Sampled, Overlapping).AssertClean();

    [Fact]
    public void Calls_of_several_threads_do_not_overlap_in_any_schedule_of_two_preemptions() =>
        Explorer.AssertAllClean(Overlapping);

    [Fact]
    public void A_session_that_is_taken_is_free_for_the_next_thread() => Explorer.Run(Sampled, Moving).AssertClean();

    [Fact]
    public void A_claim_that_looks_before_it_shuts_is_found() =>
        Explorer.Run(Sampled with { Bugs = [SeededBug.ClaimLooksFirst] }, () => Closing())
            .AssertFound("A call is inside what was closed");

    [Fact]
    public void A_taker_that_looks_before_it_shuts_is_found() =>
        Explorer.Run(Sampled with { Bugs = [SeededBug.ClaimLooksFirst] }, Overlapping)
            .AssertFound("Two calls are inside");

    [Fact]
    public void A_taker_that_uses_the_slot_of_the_one_before_is_found() =>
        Explorer.Run(Sampled with { Bugs = [SeededBug.TakenKeepsSlot] }, Overlapping)
            .AssertFound("The epoch of a call was ended by another one", "Two calls are inside");

    [Fact]
    public void A_session_that_has_ended_is_not_taken_by_the_slot_of_the_next_one_in_any_schedule() =>
        Explorer.AssertAllClean(Succeeding);

    [Fact]
    public void A_taker_that_trusts_the_slot_of_a_session_that_has_ended_is_found() =>
        Explorer.Run(Sampled with { Bugs = [SeededBug.TakesGivenSlot] }, Succeeding)
            .AssertFound("A session was closed twice", "The next session was shut");

    [Fact]
    public void A_thread_keeps_a_session_that_it_has_called_often_enough_and_another_one_takes_it()
    {
        var world = new World(streak: 3);
        for (int i = 1; i <= 3; i++)
        {
            Assert.False(world.Gate.IsKept);
            world.Call();
        }

        Assert.True(world.Gate.IsKept);
        var other = new Thread(world.Call);
        other.Start();
        other.Join();
        Assert.Equal(4, world.Calls);
        Assert.False(world.Gate.IsKept);
        for (int i = 0; i < 11; i++) world.Call();
        Assert.False(world.Gate.IsKept); // four times as many as before
        world.Call();
        Assert.True(world.Gate.IsKept);
    }

    [Fact]
    public void A_holder_may_call_within_its_call_and_no_other_thread()
    {
        var world = new World();
        Assert.Equal(SessionGate.Admission.Begun, world.Gate.TryBegin());
        world.Call();
        var other = new Thread(() => Assert.Equal(SessionGate.Admission.InUse, world.Gate.TryBegin()));
        other.Start();
        other.Join();
        Assert.False(world.Gate.TryClaim(out bool isInUse));
        Assert.True(isInUse);
        world.Gate.EndCall();
        Assert.True(world.Gate.TryClaim(out _));
        Assert.Equal(SessionGate.Admission.Shut, world.Gate.TryBegin());
    }

    [Fact]
    public unsafe void A_slot_is_handed_out_again_when_no_thread_can_write_to_it_any_more()
    {
        var table = new EpochTable();
        EpochSlot* first = Lose(table);
        for (int i = 0; table.Acquire("next") != first; i++)
        {
            Assert.True(i < 100, "The slot of a session that nobody refers to is not used again.");
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static unsafe EpochSlot* Lose(EpochTable table)
    {
        var gate = new SessionGate(table, "lost");
        EpochSlot* slot = gate.Slot;
        Assert.True(gate.TryClaim(out _));
        Assert.True(table.Acquire("other") != slot);
        GC.KeepAlive(gate);
        return slot;
    }

    /// <summary>A caller makes hits and waiting calls; two closers claim; one may shut the gate for good.</summary>
    private static Scenario Closing(bool shuts = false)
    {
        var world = new World();
        return new Scenario(
            [
                () =>
                {
                    world.CallAndAwaitOthers();
                    world.Hit();
                    world.Call();
                    world.Hit();
                },
                () =>
                {
                    world.AwaitKeeper();
                    world.Close();
                },
                shuts ? world.Shut : world.Close,
            ],
            () =>
            {
                Assert.False(world.Gate.IsInUse);
                Assert.True(world.Closers <= 1);
                if (!shuts) Assert.Equal(world.Closers == 1, world.Gate.IsShut);
                else Assert.True(world.Gate.IsShut);
                Assert.True(world.Closers == 1 || world.Refused != 0);
            });
    }

    /// <summary>Three threads call one session.</summary>
    private static Scenario Overlapping()
    {
        var world = new World();
        return new Scenario(
            [
                () =>
                {
                    world.CallAndAwaitOthers();
                    world.Hit();
                    world.Hit();
                },
                () =>
                {
                    world.AwaitKeeper();
                    world.Call();
                },
                world.Hit,
            ],
            () =>
            {
                Assert.False(world.Gate.IsInUse);
                Assert.Equal(5, world.Calls + world.Refused);
                world.Call(); // nothing is left behind
                Assert.Equal(6, world.Calls + world.Refused);
                Assert.Equal(0, world.Left);
            });
    }

    /// <summary>A second thread calls after the calls of the first, again and again until it is admitted.</summary>
    private static Scenario Moving()
    {
        var world = new World();
        bool isDone = false;
        return new Scenario(
            [
                () =>
                {
                    world.Call();
                    world.Hit();
                    Volatile.Write(ref isDone, true);
                },
                () =>
                {
                    if (!Probe.Wait(() => Volatile.Read(ref isDone))) return;
                    world.Hit();
                    world.Hit();
                },
            ],
            () => Assert.Equal(4, world.Calls));
    }

    /// <summary>
    /// A session ends after a call, and a thread keeps the next one, in the same slot, while another disposes of the
    /// first.
    /// </summary>
    private static unsafe Scenario Succeeding()
    {
        var first = new SessionGate(new EpochTable(), "session");
        SessionGate? next = null;
        int closers = 0;
        return new Scenario(
            [
                () =>
                {
                    if (first.TryBegin() != SessionGate.Admission.Begun) return;
                    Probe.Point(ProbePoint.RecordUpdate); // within the call
                    first.EndCall();
                    if (!first.TryClaim(out _)) return;
                    Interlocked.Increment(ref closers);
                    first.End();
                    first.GiveSlot();
                    next = new SessionGate(first);
                    for (int i = 0; !next.IsKept; i++)
                    {
                        Assert.True(i < 100);
                        Assert.Equal(SessionGate.Admission.Begun, next.TryBegin());
                        next.Keep(CallerThread.Id);
                        next.EndCall();
                    }
                },
                () =>
                {
                    if (first.TryClaim(out _)) Interlocked.Increment(ref closers);
                },
            ],
            () =>
            {
                Assert.True(closers <= 1, "A session was closed twice.");
                if (next is null) return;
                Assert.True(first.IsEnded);
                Assert.True(next.Slot->Counters != (nint)EpochCounters.Shut, "The next session was shut.");
                GC.KeepAlive(next);
            });
    }

    private sealed class World(int streak = 1)
    {
        private readonly EpochTable _table = new();
        private SessionGate? _gate;
        private int _closers, _inside, _calls, _refused;
        private bool _isCalled, _goesOn;

        public SessionGate Gate => _gate ??= new SessionGate(_table, "session", streak);

        public int Closers => _closers;

        public int Calls => _calls;

        public int Refused => _refused;

        /// <summary>Actions that wait for a slot that was left announced.</summary>
        public int Left
        {
            get
            {
                _table.Bump(static () => { });
                return _table.PendingActions;
            }
        }

        /// <summary>Makes a call, and waits until another thread, which waits for that, goes on.</summary>
        public void CallAndAwaitOthers()
        {
            Call();
            Volatile.Write(ref _isCalled, true);
            Probe.Wait(() => Volatile.Read(ref _goesOn));
        }

        /// <summary>Waits for the first call of the thread that keeps the session.</summary>
        public void AwaitKeeper()
        {
            Probe.Wait(() => Volatile.Read(ref _isCalled));
            Volatile.Write(ref _goesOn, true);
        }

        /// <summary>As sessions do: at once on the page of the keeper, and otherwise as a call.</summary>
        public unsafe void Hit()
        {
            EpochSlot* slot = Gate.Slot;
            if (slot->Home != Page)
            {
                Call();
                return;
            }

            if (!EpochTable.TryEnterQuiet(slot))
            {
                if (!Gate.TryBeginInside(slot))
                {
                    if (slot->Epoch != 0) _table.Leave(slot);
                    Call();
                    return;
                }

                _table.Refresh(slot);
                slot->Quiet = slot->Epoch;
                Use(slot);
                _table.Leave(slot);
                Gate.EndCall();
                return;
            }

            Use(slot);
            _table.Leave(slot);
        }

        public unsafe void Call()
        {
            if (Gate.TryBegin() != SessionGate.Admission.Begun)
            {
                Interlocked.Increment(ref _refused);
                return;
            }

            Gate.Keep(Page);
            EpochSlot* slot = Gate.Slot;
            Use(null); // between two epochs
            _table.Enter(slot);
            slot->Quiet = slot->Epoch;
            Use(slot);
            _table.Leave(slot);
            Interlocked.Decrement(ref _calls); // counted twice
            Gate.EndCall();
        }

        public void Close()
        {
            if (Gate.TryClaim(out bool isInUse)) Interlocked.Increment(ref _closers);
            else if (isInUse) Interlocked.Increment(ref _refused);
            else if (!Gate.IsClaimed) throw new InvalidOperationException("It returned as if the session were closed.");
        }

        public void Shut()
        {
            Gate.Shut();
            Close();
        }

        // What tells threads apart, as the pages of their stacks do.
        private static nint Page => CallerThread.Id;

        private unsafe void Use(EpochSlot* slot)
        {
            if (Interlocked.Increment(ref _inside) != 1) throw new InvalidOperationException("Two calls are inside.");
            Probe.Point(ProbePoint.RecordUpdate);
            if (Volatile.Read(ref _closers) != 0)
                throw new InvalidOperationException("A call is inside what was closed.");
            Probe.Point(ProbePoint.RecordUpdate);
            if (slot != null && slot->Epoch == 0)
                throw new InvalidOperationException("The epoch of a call was ended by another one.");
            Interlocked.Increment(ref _calls);
            Interlocked.Decrement(ref _inside);
        }
    }
}
