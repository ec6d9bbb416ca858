using Faster.Contracts;
using Faster.Epochs;
using Faster.Sessions;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Sessions;

/// <summary>
/// The thread that closes a session has exclusive use of it: no call is inside then, and none enters, under controlled
/// schedules.
/// </summary>
public sealed class SessionGateTests
{
    private static readonly ExplorationOptions Sampled =
        new() { Schedules = TestBudget.Times(1500), PreemptionBound = 3 };

    [Fact]
    public void Nobody_is_inside_a_session_that_was_claimed() => Explorer.Run(Sampled, () => Closing()).AssertClean();

    [Fact]
    public void Nobody_is_inside_in_any_schedule_of_two_preemptions() => Explorer.AssertAllClean(() => Closing());

    [Fact]
    public void A_gate_that_was_shut_for_good_stays_shut() =>
        Explorer.Run(Sampled, () => Closing(shuts: true)).AssertClean();

    [Fact]
    public void A_claim_that_looks_before_it_shuts_is_found() =>
        Explorer.Run(Sampled with { Bugs = [SeededBug.ClaimLooksFirst] }, () => Closing())
            .AssertFound("A call is inside what was closed");

    [Fact]
    public unsafe void A_slot_is_handed_out_again_when_nobody_can_write_to_it_any_more()
    {
        var table = new EpochTable<NoProbe>();
        EpochSlot* first = Lose(table);
        for (int i = 0; table.Acquire("next") != first; i++)
        {
            Assert.True(i < 100, "The slot of a session that nobody refers to is not used again.");
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static unsafe EpochSlot* Lose(EpochTable<NoProbe> table)
    {
        var gate = new SessionGate<NoProbe>(table, "lost");
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
                    world.Hit();
                    world.Call();
                    world.Hit();
                },
                world.Close,
                shuts ? world.Shut : world.Close,
            ],
            () =>
            {
                Assert.False(world.Gate.IsInUse);
                Assert.True(world.Closers <= 1);
                if (!shuts) Assert.Equal(world.Closers == 1, world.Gate.IsShut);
                else Assert.True(world.Gate.IsShut);
            });
    }

    private sealed class World
    {
        private readonly EpochTable<ScheduledProbe> _table = new();
        private int _closers;

        public World() => Gate = new SessionGate<ScheduledProbe>(_table, "session");

        public SessionGate<ScheduledProbe> Gate { get; }

        public int Closers => _closers;

        public unsafe void Hit()
        {
            EpochSlot* slot = Gate.Slot;
            if (!EpochTable<ScheduledProbe>.TryEnterQuiet(slot))
            {
                if (slot->Epoch == 0) _table.Refresh(slot);
                if (!Gate.MayStay())
                {
                    _table.Leave(slot);
                    return;
                }

                _table.Refresh(slot);
                slot->Quiet = slot->Epoch;
            }

            Use();
            _table.Leave(slot);
        }

        public unsafe void Call()
        {
            if (!Gate.TryBeginCall(out SessionGate<ScheduledProbe>.Call call)) return;
            using (call)
            {
                Use(); // between two epochs
                _table.Enter(Gate.Slot);
                Use();
                _table.Leave(Gate.Slot);
            }
        }

        public void Close()
        {
            if (Gate.TryClaim(out _)) Interlocked.Increment(ref _closers);
        }

        public void Shut()
        {
            Gate.Shut();
            if (Gate.TryClaim(out _)) Interlocked.Increment(ref _closers);
        }

        private void Use()
        {
            ScheduledProbe.Point(ProbePoint.RecordUpdate);
            if (Volatile.Read(ref _closers) != 0)
                throw new InvalidOperationException("A call is inside what was closed.");
        }
    }
}
