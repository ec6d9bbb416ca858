using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Opening;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Faults;

/// <summary>Calls that no caller may make are refused, and leave session and store as they were.</summary>
public sealed class MisuseTests
{
    [Fact]
    public Task A_disposed_session_refuses_every_call_and_may_be_disposed_of_again() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open();
        FasterSession session = store.StartSession("a");
        session.Put(1, 2);
        session.Dispose();
        session.Dispose();
        await session.DisposeAsync();
        Action[] calls =
        [
            () => session.Get(1), () => session.Put(1, 2), () => session.AddTo(1, 2), () => { _ = session.Remove(1); },
            () => session.CompletePending(wait: false), () => session.CompletePending(wait: true),
        ];
        foreach (Action call in calls)
            AssertRefused("'a' has been disposed of", call);
        await Assert.ThrowsAsync<SessionMisuseException>(() => session.CompletePendingAsync().AsTask());
        Assert.Equal(0, store.Statistics.Sessions);
    });

    [Fact]
    public Task A_name_is_refused_while_its_session_is_open() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open();
        FasterSession first = store.StartSession("a");
        AssertRefused("'a'", () => store.StartSession("a"));
        using FasterSession other = store.StartSession("A");
        using FasterSession unnamed = store.StartSession();
        first.Put(1, 2);
        first.Dispose();
        using FasterSession again = store.StartSession("a");
        Assert.Equal(2, again.Get(1));
    });

    [Fact]
    public Task A_second_thread_is_refused_and_the_first_goes_on() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open();
        using FasterSession session = store.StartSession("a");
        session.Put(1, 10);
        using var inside = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        Task first = Guard.RunAsync(() =>
        {
            var operation = new Add(1, null, () =>
            {
                inside.Set();
                leave.Wait();
            });
            Assert.Equal(Status.Ok, session.Rmw(Key(1), ref operation));
        });
        inside.Wait();
        Action[] calls =
        [
            () => session.Get(1), () => session.Put(2, 2), () => session.CompletePending(wait: true), session.Dispose,
        ];
        foreach (Action call in calls)
            AssertRefused("in use", call);
        leave.Set();
        await first;
        Assert.Equal(11, session.Get(1));
        Assert.Null(session.Get(2));
    });

    [Fact]
    public Task A_user_function_that_calls_its_session_is_refused() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open();
        using FasterSession session = store.StartSession();
        Action[] calls =
        [
            () => session.Get(1), () => session.Put(2, 2), () => session.CompletePending(wait: true), session.Dispose,
        ];
        foreach (Action call in calls)
        {
            session.Put(1, 10);
            var thrown = new Add(1, null, call);
            Assert.Throws<SessionMisuseException>(() => session.Rmw(Key(1), ref thrown));
            Assert.Equal(10, session.Get(1));

            // One that catches it goes on.
            var caught = new Add(1, null, () => Assert.Throws<SessionMisuseException>(call));
            Assert.Equal(Status.Ok, session.Rmw(Key(1), ref caught));
            Assert.Equal(11, session.Get(1));
        }

        Assert.Equal(1, store.Statistics.Sessions);
    });

    [Fact]
    public Task A_user_function_that_completes_pending_operations_does_not_lose_them() => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        store.Fill();
        var outcome = new CounterOperations.Outcome();
        var read = new Read(outcome);
        Assert.Equal(Status.Pending, store.Session.Read(Key(5), ref read));
        var nested = new Add(1, null, () => store.Session.CompletePending(wait: true));
        Assert.Throws<SessionMisuseException>(() => store.Session.Rmw(Key(FaultedStore.Keys - 1), ref nested));
        Assert.Equal(0, outcome.Completions);
        Assert.True(store.Session.CompletePending(wait: true));
        Assert.Null(outcome.Error);
        Assert.Equal(15, outcome.Value);
    });

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid)]
    [InlineData(RecordAllocatorKind.AppendOnly)]
    [InlineData(RecordAllocatorKind.InMemory)]
    public Task A_record_above_the_limit_is_refused_and_takes_nothing(RecordAllocatorKind allocator) =>
        Guard.RunAsync(async () =>
        {
            await using FasterStore store = await FasterStore.OpenAsync(
                null, (Small with { Allocator = allocator, PageSize = ByteSize.KiB(4) }).For(null),
                BytesOperations.Schema, default);
            using FasterSession session = store.StartSession();
            using FasterSession other = store.StartSession();
            byte[] small = [1, 2, 3], one = BitConverter.GetBytes(1);
            bool inMemory = allocator == RecordAllocatorKind.InMemory; // elsewhere a value may have any size, no key
            byte[] large = inMemory ? new byte[2 << 20] : small;
            byte[] known = inMemory ? one : new byte[2 << 20], unknown = inMemory ? [2] : new byte[4096];
            session.PutBytes(1, small);
            long tail = store.Statistics.TailAddress;
            for (int i = 0; i < 1_000; i++)
            {
                var error = Assert.Throws<LimitExceededException>(() => session.PutBytes(known, large));
                Assert.Contains(inMemory ? "MemoryBudget" : "PageSize", error.Message, StringComparison.Ordinal);
                Assert.Throws<LimitExceededException>(() => session.PutBytes(unknown, large));
                if (i < 100) Assert.Throws<LimitExceededException>(() => session.Append(known, large));
                if (i < 100) Assert.Throws<LimitExceededException>(() => session.Append(unknown, large));
            }

            Assert.Equal(tail, store.Statistics.TailAddress);
            Assert.Equal(small, session.GetBytes(1));
            Assert.Null(session.GetBytes(2));
            other.Append(1, small); // no latch is held
            Assert.Equal([.. small, .. small], session.GetBytes(1)!);
        });

    private static readonly StoreOptions Small = new() { MemoryBudget = ByteSize.MiB(1) };

    private static void AssertRefused(string why, Action call) =>
        Assert.Contains(why, Assert.Throws<SessionMisuseException>(call).Message, StringComparison.Ordinal);

    private static Task<FasterStore> Open() => FasterStore.OpenAsync(null, Small, Schema, default).AsTask();
}
