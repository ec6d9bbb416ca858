using Faster.Contracts;
using Faster.Epochs;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Epochs;

/// <summary>The epoch table under controlled schedules, sound and with seeded bugs.</summary>
public sealed class EpochScheduleTests
{
    private static readonly ExplorationOptions Sampled =
        new() { Schedules = TestBudget.Times(1500), PreemptionBound = 3 };

    private static readonly ExplorationOptions Exhaustive =
        new() { Schedules = 30_000, Strategy = ExplorationStrategy.Exhaustive, PreemptionBound = 2 };

    [Fact]
    public void Nothing_is_freed_under_a_reader_and_everything_is_freed_once() =>
        Explorer.Run(Sampled, Reclaiming).AssertClean();

    [Fact]
    public void Nothing_is_freed_under_a_reader_in_any_schedule_of_two_preemptions() =>
        Explorer.AssertAllClean(Reclaiming);

    [Fact]
    public void Nothing_is_freed_under_readers_whose_slots_come_and_go()
    {
        Explorer.Run(Sampled, ComingAndGoing).AssertClean();
        Explorer.AssertAllClean(ComingAndGoing);
    }

    [Fact]
    public void Slots_that_a_release_forgets_are_found()
    {
        var bugs = new[] { SeededBug.SlotsForgetHeld };
        Explorer.Run(Sampled with { Bugs = bugs }, ComingAndGoing).AssertFound("freed under a reader");
        Explorer.Run(Exhaustive with { Bugs = bugs }, ComingAndGoing).AssertFound("freed under a reader");
    }

    [Fact]
    public void Conditions_of_several_sessions_strand_no_action()
    {
        Explorer.Run(Sampled, Conditional).AssertClean();
        Explorer.AssertAllClean(Conditional);
    }

    [Fact]
    public void Bumps_inside_actions_and_epochs_strand_nothing() => Explorer.Run(Sampled, Nested).AssertClean();

    [Theory]
    [InlineData(SeededBug.DrainWithoutClaim, "Collections differ")]
    [InlineData(SeededBug.LeaveLooksFirst, "actions are stranded")]
    internal void A_seeded_bug_is_found(SeededBug bug, string how)
    {
        Explorer.Run(Sampled with { Bugs = [bug] }, Reclaiming).AssertFound(how);
        Explorer.Run(Exhaustive with { Bugs = [bug] }, Reclaiming).AssertFound(how);
    }

    /// <summary>Two readers hold what one writer replaces and frees; one of the readers refreshes between.</summary>
    private static Scenario Reclaiming()
    {
        var world = new World(slots: 2);
        int[] freed = new int[3];
        int shown = 0;
        void Look()
        {
            int page = Volatile.Read(ref shown);
            Probe.Point(ProbePoint.RecordUpdate);
            if (freed[page] != 0) throw new InvalidOperationException($"Page {page} was freed under a reader.");
        }

        void Replace(int page)
        {
            int old = Interlocked.Exchange(ref shown, page);
            world.Table.Bump(() => freed[old]++);
        }

        return new Scenario(
            [
                () => world.Inside(0, Look),
                () => world.Inside(1, () =>
                {
                    Look();
                    world.Refresh(1);
                    Look();
                }),
                () =>
                {
                    Replace(1);
                    Replace(2);
                },
            ],
            () =>
            {
                world.AssertDrained();
                Assert.Equal([1, 1, 0], freed);
            });
    }

    /// <summary>Two readers, each with a slot of its own for as long as it reads, and a writer.</summary>
    private static Scenario ComingAndGoing()
    {
        var world = new World(slots: 0);
        bool[] freed = new bool[2];
        int shown = 0;
        void Look()
        {
            int page = Volatile.Read(ref shown);
            Probe.Point(ProbePoint.RecordUpdate);
            if (freed[page]) throw new InvalidOperationException($"Page {page} was freed under a reader.");
        }

        return new Scenario(
            [
                () => world.InSlotOfItsOwn(Look),
                () => world.InSlotOfItsOwn(Look),
                () =>
                {
                    Volatile.Write(ref shown, 1);
                    world.Table.Bump(() => freed[0] = true);
                },
            ],
            () =>
            {
                world.AssertDrained();
                Assert.Equal([true, false], freed);
            });
    }

    /// <summary>Each of two sessions fulfills half of a condition and leaves; no other session drains.</summary>
    private static Scenario Conditional()
    {
        var world = new World(slots: 2);
        bool first = false, second = false;
        int runs = 0, early = 0;
        return new Scenario(
            [
                () => world.Inside(0, () => Volatile.Write(ref first, true)),
                () => world.Inside(1, () => Volatile.Write(ref second, true)),
                () => world.Table.Bump(
                    () => Volatile.Read(ref first) && Volatile.Read(ref second),
                    () =>
                    {
                        runs++;
                        if (!first || !second) early++;
                    }),
            ],
            () =>
            {
                world.AssertDrained();
                Assert.Equal((1, 0), (runs, early));
            });
    }

    /// <summary>Actions that bump again and that throw, bumped from inside epochs.</summary>
    private static Scenario Nested()
    {
        var world = new World(slots: 2);
        int runs = 0;
        return new Scenario(
            [
                () => world.Inside(0, () => world.Table.Bump(() =>
                {
                    world.Table.Bump(() => Interlocked.Increment(ref runs));
                    throw new FormatException("seeded");
                })),
                () => world.Inside(1, () => world.Table.Bump(() => Interlocked.Increment(ref runs))),
            ],
            () =>
            {
                world.AssertDrained();
                Assert.Equal((2, 1), (runs, world.Failures));
            });
    }

    /// <summary>A table with its sessions.</summary>
    private sealed unsafe class World
    {
        private readonly nint[] _slots;
        private int _failures;

        public World(int slots)
        {
            Table = new EpochTable(_ => Interlocked.Increment(ref _failures));
            _slots = new nint[slots];
            for (int i = 0; i < slots; i++) _slots[i] = (nint)Table.Acquire($"session {i}");
        }

        public EpochTable Table { get; }

        public int Failures => _failures;

        public void Inside(int session, Action body)
        {
            Table.Enter((EpochSlot*)_slots[session]);
            body();
            Table.Leave((EpochSlot*)_slots[session]);
        }

        public void InSlotOfItsOwn(Action body)
        {
            EpochSlot* slot = Table.Acquire("for a moment");
            Table.Enter(slot);
            body();
            Table.Leave(slot);
            Table.Release(slot);
        }

        public void Refresh(int session) => Table.Refresh((EpochSlot*)_slots[session]);

        /// <summary>All sessions are idle: without a further drain, nothing may wait.</summary>
        public void AssertDrained()
        {
            int pending = Table.PendingActions;
            Assert.True(Table.Safe < Table.Current);
            Assert.True(pending == 0, $"{pending} actions are stranded.");
        }
    }
}
