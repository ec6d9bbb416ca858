using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Faults;

/// <summary>A store closed with sessions open and operations pending completes them; twice is once.</summary>
public sealed class DisposalTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Pending_operations_are_completed(bool asynchronously) => Guard.RunAsync(async () =>
    {
        using var store = new FaultedStore();
        store.Fill();
        FasterSession second = store.Store.StartSession("b");
        var outcome = new CounterOperations.Outcome();
        var read = new Read(outcome);
        Assert.Equal(Status.Pending, second.Read(Key(5), ref read));
        Task<long?> awaited = store.Session.GetAsync(6).AsTask();
        if (asynchronously) await store.Store.DisposeAsync();
        else store.Store.Dispose();
        Assert.Equal(15, outcome.Value);
        Assert.Equal(1, outcome.Completions);
        Assert.Equal(18, await awaited);
        await CheckClosed(store, second);
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Pending_operations_that_fail_are_told_to_their_owners(bool asynchronously) => Guard.RunAsync(async () =>
    {
        using var store = new FaultedStore();
        store.Fill();
        store.Break(FaultTarget.Read);
        FasterSession second = store.Store.StartSession("b");
        var outcome = new CounterOperations.Outcome();
        var read = new Read(outcome);
        Assert.Equal(Status.Pending, second.Read(Key(5), ref read));
        Task<long?> awaited = store.Session.GetAsync(6).AsTask();
        if (asynchronously) await store.Store.DisposeAsync();
        else store.Store.Dispose();
        Assert.IsType<StorageException>(outcome.Error);
        await Assert.ThrowsAsync<StorageException>(() => awaited);
        await CheckClosed(store, second);
    });

    [Fact]
    public Task A_session_whose_pending_operation_fails_is_closed_all_the_same() => Guard.RunAsync(async () =>
    {
        using var store = new FaultedStore();
        store.Fill();
        store.Break(FaultTarget.Read);
        FasterSession session = store.Store.StartSession("b");
        var read = new Read(new CounterOperations.Outcome());
        Assert.Equal(Status.Pending, session.Read(Key(5), ref read));
        Assert.Throws<StorageException>(session.Dispose);
        session.Dispose();
        await session.DisposeAsync();
        store.Mend();
        using FasterSession again = store.Store.StartSession("b");
        Assert.Equal(15, again.Get(5));
    });

    [Fact]
    public Task Cancelling_ends_the_waiting_not_the_operation() => Guard.RunAsync(async () =>
    {
        using var store = new FaultedStore();
        store.Fill();
        for (int i = 0; i < 100; i++)
        {
            Task<long?> read = store.Session.GetAsync(i, ct: new CancellationToken(canceled: true)).AsTask();
            try
            {
                Assert.Equal(i * 3L, await read);
            }
            catch (OperationCanceledException)
            {
                // No thread waits any more.
            }
        }

        await store.Session.CompletePendingAsync();
        Assert.Equal(0, store.Session.PendingCount);
        Assert.Equal(15, await store.Session.GetAsync(5));
    });

    private static async Task CheckClosed(FaultedStore store, FasterSession session)
    {
        await store.Store.DisposeAsync();
        store.Store.Dispose();
        session.Dispose();
        Assert.Throws<ObjectDisposedException>(() => session.Get(1));
        Assert.Throws<ObjectDisposedException>(() => store.Store.StartSession());
        Assert.Throws<ObjectDisposedException>(() => store.Store.ScanLog());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => store.Store.GrowIndexAsync());
        Assert.Equal(0, store.Store.Statistics.Sessions);
    }
}
