using Faster.Tests.Engines;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations;

/// <summary>
/// Statuses of updates under controlled schedules: beside a deletion, in every place that a record can have, they are
/// those of some order of the operations, and of the order that the value shows.
/// </summary>
public sealed class UpdateStatusScheduleTests
{
    private const long Key = 1, Old = 1, First = 10, Second = 100;

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    [Theory]
    [InlineData(RecordAllocatorKind.InMemory)]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.AppendOnly)]
    public void Two_updates_beside_a_deletion_tell_what_they_found(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => UpdateBesideDeletion<WordShape>(kind, Place.Mutable)).AssertClean();
        Explorer.Run(Options, () => UpdateBesideDeletion<SwapShape>(kind, Place.Mutable)).AssertClean();
        Explorer.Run(Options, () => UpdateBesideDeletion<VaryingShape>(kind, Place.Mutable)).AssertClean();
    }

    [Fact]
    public void So_do_updates_of_an_immutable_record_and_of_one_on_disk()
    {
        Explorer.Run(
            Options, () => UpdateBesideDeletion<WordShape>(RecordAllocatorKind.Hybrid, Place.Immutable)).AssertClean();
        Explorer.Run(
            Options, () => UpdateBesideDeletion<WordShape>(RecordAllocatorKind.Hybrid, Place.OnDisk)).AssertClean();
    }

    [Theory]
    [InlineData(RecordAllocatorKind.InMemory)]
    [InlineData(RecordAllocatorKind.Hybrid)]
    public void Of_two_that_make_a_key_one_creates_it(RecordAllocatorKind kind)
    {
        Explorer.Run(Options, () => Create<WordShape>(kind)).AssertClean();
        Explorer.AssertAllClean(() => Create<SwapShape>(kind), preemptions: 1);
    }

    private enum Place
    {
        Mutable,
        Immutable,
        OnDisk,
    }

    private static Scenario UpdateBesideDeletion<TShape>(RecordAllocatorKind kind, Place place)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(kind, sessions: 3);
        store.Put(0, Key, Old);
        if (place == Place.Immutable) store.ShiftReadOnly();
        if (place == Place.OnDisk) store.Spill();
        Status first = default, second = default;
        return new Scenario(
            [
                () => _ = store.Remove(0, Key),
                () => first = store.AddWithStatus(1, Key, First),
                () => second = store.AddWithStatus(2, Key, Second),
            ],
            () =>
            {
                // In which order the two updates and the deletion took place, the value tells.
                (Status First, Status Second) expected = store.Get(0, Key) switch
                {
                    null => (Status.Ok, Status.Ok),
                    First => (Status.Created, Status.Ok),
                    Second => (Status.Ok, Status.Created),
                    First + Second => first == Status.Created
                        ? (Status.Created, Status.Ok)
                        : (Status.Ok, Status.Created),
                    long other => throw new Xunit.Sdk.XunitException($"The value is {other}."),
                };
                Assert.Equal(expected, (first, second));
                store.Dispose();
            });
    }

    private static Scenario Create<TShape>(RecordAllocatorKind kind)
        where TShape : struct, IShape
    {
        var store = new ScheduledStore<TShape>(kind, sessions: 2);
        store.Put(0, Key + 1, Old); // in the same chain
        var statuses = new Status[2];
        return new Scenario(
            [
                () => statuses[0] = store.AddWithStatus(0, Key, First),
                () => statuses[1] = store.AddWithStatus(1, Key, Second),
            ],
            () =>
            {
                Assert.Equal([Status.Ok, Status.Created], statuses.Order());
                Assert.Equal(First + Second, store.Get(0, Key));
                store.Dispose();
            });
    }
}
