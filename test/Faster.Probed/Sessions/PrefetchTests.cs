using Faster.Contracts;
using Faster.Engines;
using Faster.Probes;
using Faster.Sessions;
using Faster.Tests.Compaction;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Sessions;

/// <summary>
/// Hints have no effect: they leave no epoch announced, end none that an operation is in, and are not counted.
/// </summary>
public sealed unsafe class PrefetchTests
{
    private const int Enough = 3 * KeysAhead.Lag;

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    [Fact]
    public void A_hint_is_no_operation_and_leaves_no_epoch_behind()
    {
        using FasterStore store = Open();
        FasterSession session = store.StartSession();
        Hint(session, 1); // nothing is known of the store yet
        session.Put(1, 5);
        long serial = session.SerialNumber;
        Hint(session, 1);
        store.Epochs.Bump(static () => { }); // the quiet epoch has ended
        Hint(session, 1);
        Assert.Equal(serial, session.SerialNumber);
        Assert.Equal(0, store.Epochs.PendingActions);
        session.Dispose();
        Hint(session, 1);
        Assert.False(store.Epochs.IsEntered);
        Assert.Equal(0, store.Epochs.PendingActions);
    }

    [Fact]
    public void A_hint_in_a_user_function_does_not_end_the_epoch_of_its_operation()
    {
        using FasterStore store = Open();
        using FasterSession session = store.StartSession();
        session.Put(1, 5);
        Assert.Equal(5, session.Get(1));
        var operation = new HintingRead { Session = session };
        Assert.Equal(Status.Ok, session.Read(new UnmanagedKey<long>(1), ref operation));
        Assert.True(operation.IsInside, "The operation was outside of every epoch after the hints.");
        Assert.False(store.Epochs.IsEntered);
    }

    [Fact]
    public void An_action_that_waits_for_a_hint_alone_runs() => Explorer.Run(Options, HintsBesideBump).AssertClean();

    [Fact]
    public void A_hint_that_does_not_look_for_actions_after_it_has_left_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.LeaveLooksFirst], Schedules = 3000 }, HintsBesideBump)
        .AssertFound("Values differ");

    private static Scenario HintsBesideBump()
    {
        var store = new ScheduledStore<WordShape>(RecordAllocatorKind.Hybrid, 1);
        store.Put(0, 1, 5);
        Assert.Equal(5, store.Get(0, 1));
        Assert.True(store.IsQuiet(0), "The session has noted no quiet epoch, so that hints do nothing.");
        return new Scenario(
            [
                () => store.Prefetch(0, 1),
                () => store.Epochs.Bump(static () => { }),
            ],
            () =>
            {
                Assert.Equal(0, store.Epochs.PendingActions);
                Assert.Equal(5, store.Get(0, 1));
                store.Dispose();
            });
    }

    private static void Hint(FasterSession session, long key)
    {
        for (int i = 0; i < Enough; i++) session.Prefetch(new UnmanagedKey<long>(key + i));
    }

    private static FasterStore Open() => GarbageStore.OpenAsync(null).GetAwaiter().GetResult();

    private struct HintingRead : IReadOperation
    {
        public required FasterSession Session;
        public bool IsInside;

        public static int ValueSize => sizeof(long);

        public static bool LatchesUpdates => false;

        public static bool LatchesReads => false;

        public static bool RunsUserCode => true;

        public readonly bool IsAwaited => false;

        public readonly void Capture()
        {
        }

        public void SingleRead(ReadOnlySpan<byte> value) => ConcurrentRead(value);

        public void ConcurrentRead(ReadOnlySpan<byte> value)
        {
            Hint(Session, 1);
            IsInside = Session.Slot->Epoch != 0;
        }

        public readonly void Complete(Status status, Exception? error)
        {
        }
    }
}
