using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Faults;

/// <summary>
/// User functions that throw: the error comes out on the operation that caused it, the value is as it was (or, in
/// place, as the function left it), and neither this session nor another is held up.
/// </summary>
public sealed class ThrowingFunctionTests
{
    public static TheoryData<RecordAllocatorKind> Allocators => [.. Enum.GetValues<RecordAllocatorKind>()];

    [Theory, MemberData(nameof(Allocators))]
    public Task Inline_in_an_updater(RecordAllocatorKind allocator) => OnStore(allocator, (store, session, other) =>
    {
        var add = new ThrowingOperations.Add(5);
        for (int i = 0; i < 1_000; i++)
            Assert.Throws<InvalidOperationException>(() => session.Rmw(Key(1), ref add)); // initial
        Assert.Null(session.Get(1));
        Assert.Null(other.Get(1));

        session.Put(2, 10);
        Assert.Throws<InvalidOperationException>(() => session.Rmw(Key(2), ref add)); // in place, or a copy
        long left = allocator == RecordAllocatorKind.AppendOnly ? 10 : 15;
        Assert.Equal(left, session.Get(2));
        other.AddTo(2, 1);
        Assert.Equal(left + 1, session.Get(2));

        if (allocator == RecordAllocatorKind.Hybrid)
        {
            store.ScanLog().Dispose(); // what lies in memory is read-only now
            for (int i = 0; i < 100; i++)
                Assert.Throws<InvalidOperationException>(() => session.Rmw(Key(2), ref add)); // copy
            Assert.Equal(16, other.Get(2));
        }

        Assert.Equal(Status.Ok, other.Remove(2));
        Assert.Throws<InvalidOperationException>(() => session.Rmw(Key(2), ref add)); // initial, over a deleted record
        Assert.Null(other.Get(2));
    });

    [Theory, MemberData(nameof(Allocators))]
    public Task Inline_in_a_writer(RecordAllocatorKind allocator) => OnStore(allocator, (store, session, other) =>
    {
        var write = new ThrowingOperations.Upsert(5);
        for (int i = 0; i < 1_000; i++)
            Assert.Throws<InvalidOperationException>(() => session.Upsert(Key(1), ref write)); // single
        Assert.Null(other.Get(1));
        session.Put(2, 10);
        Assert.Throws<InvalidOperationException>(() => session.Upsert(Key(2), ref write)); // concurrent
        Assert.Equal(allocator == RecordAllocatorKind.AppendOnly ? 10 : 5, other.Get(2));
        other.Put(2, 11);
        Assert.Equal(11, session.Get(2));
    });

    [Theory, MemberData(nameof(Allocators))]
    public Task Inline_in_a_reader(RecordAllocatorKind allocator) => OnStore(allocator, (store, session, other) =>
    {
        session.Put(1, 10);
        var read = new ThrowingOperations.Read();
        Assert.Throws<InvalidOperationException>(() => session.Read(Key(1), ref read)); // concurrent, latched
        other.AddTo(1, 1);
        if (!store.Log.Splices) store.ScanLog().Dispose();
        Assert.Throws<InvalidOperationException>(() => session.Read(Key(1), ref read)); // single
        Assert.Equal(11, session.Get(1));
    });

    [Fact]
    public Task On_a_continuation_in_the_status_form() => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        store.Fill();
        var outcome = new CounterOperations.Outcome();
        var add = new Add(-1, outcome); // a negative amount throws
        Assert.Equal(Status.Pending, store.Session.Rmw(Key(7), ref add));
        var good = new CounterOperations.Outcome();
        var read = new Read(good);
        Assert.Equal(Status.Pending, store.Session.Read(Key(8), ref read));

        var thrown = Errors.Throws(ErrorReason.UserFunction, () => store.Session.CompletePending(wait: true));
        Assert.Same(thrown, outcome.Error);
        Assert.Equal("negative", Assert.IsType<InvalidOperationException>(thrown.InnerException).Message);
        Assert.Equal(1, outcome.Completions);
        Assert.Equal(24, good.Value);
        CheckUsable(store, 7);
    });

    [Fact]
    public Task On_a_continuation_in_the_awaited_form() => Guard.RunAsync(async () =>
    {
        using var store = new FaultedStore();
        store.Fill();
        for (int i = 0; i < 100; i++)
        {
            Task<Status> bad = store.Session.AddAsync(7, 1, () => throw ThrowingOperations.Error).AsTask();
            Task<long?> worse = store.Session.GetAsync(8, () => throw ThrowingOperations.Error).AsTask();
            Task<long?> good = store.Session.GetAsync(9).AsTask();
            var thrown = await Errors.ThrowsAsync(ErrorReason.UserFunction, () => bad);
            Assert.IsType<InvalidOperationException>(thrown.InnerException);
            await Errors.ThrowsAsync(ErrorReason.UserFunction, () => worse);
            Assert.Equal(27, await good);
        }

        CheckUsable(store, 7);
        Assert.Null(store.Store.Statistics.LastFault); // it is the user's, and has been told to the user
    });

    [Fact]
    public Task In_a_completion_callback() => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        store.Fill();
        var operation = new ThrowingOperations.Callback();
        Assert.Equal(Status.Pending, store.Session.Read(Key(7), ref operation));
        var good = new CounterOperations.Outcome();
        var read = new Read(good);
        Assert.Equal(Status.Pending, store.Session.Read(Key(8), ref read));
        var thrown = Errors.Throws(ErrorReason.UserFunction, () => store.Session.CompletePending(wait: true));
        Assert.IsType<InvalidOperationException>(thrown.InnerException);
        Assert.Equal(24, good.Value);
        CheckUsable(store, 7);
    });

    private static void CheckUsable(FaultedStore store, int key)
    {
        Assert.Equal(0, store.Session.PendingCount);
        Assert.True(store.Session.CompletePending(wait: true));
        Assert.Equal(key * 3L, store.Session.Get(key));
        using FasterSession other = store.Store.StartSession();
        other.AddTo(key, 1);
        Assert.Equal((key * 3L) + 1, store.Session.Get(key));
    }

    private static Task OnStore(
        RecordAllocatorKind allocator,
        Action<FasterStore, FasterSession, FasterSession> test) =>
        Guard.RunAsync(() =>
        {
            var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1), Allocator = allocator };
            using FasterStore store =
                FasterStore.OpenAsync(null, options, Schema, default).AsTask().GetAwaiter().GetResult();
            using FasterSession session = store.StartSession();
            using FasterSession other = store.StartSession();
            test(store, session, other);

            // Every epoch was left: reclamation needs that, and a scan waits for it.
            Assert.Null(store.Epochs.LongestHolder(out _));
            Assert.Null(store.Statistics.LastFault);
        });
}
