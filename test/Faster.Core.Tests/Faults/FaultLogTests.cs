using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tiers;

namespace Faster.Tests.Faults;

/// <summary>Internal faults that concern no operation: none hides another, and no listener hurts the store.</summary>
public sealed class FaultLogTests
{
    [Fact]
    public Task Each_fault_is_counted_and_told() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync();
        Assert.Empty(store.Statistics.FaultCounts);
        List<Exception> told = [];
        var done = new TaskCompletionSource();
        store.FaultOccurred += (sender, e) =>
        {
            Assert.Same(store, sender);
            told.Add(e.Fault);
            if (told.Count == 3) done.SetResult();
        };
        Exception[] faults = [new StorageException("one"), new DamagedDataException("two"), new StorageException("3")];
        foreach (Exception fault in faults) store.OnFault(fault);
        await done.Task;
        Assert.Equal(faults, told);
        StoreStatistics statistics = store.Statistics;
        Assert.Equal(2, statistics.FaultCounts[nameof(StorageException)]);
        Assert.Equal(1, statistics.FaultCounts[nameof(DamagedDataException)]);
        Assert.Same(faults[2], statistics.LastFault);
    });

    [Fact]
    public Task A_handler_that_throws_is_counted_and_the_others_hear_all() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync();
        var second = new TaskCompletionSource();
        int heard = 0;
        store.FaultOccurred += static (_, _) => throw new InvalidOperationException("a handler");
        store.FaultOccurred += (_, _) =>
        {
            if (++heard == 2) second.SetResult();
        };
        store.OnFault(new StorageException("one"));
        store.OnFault(new StorageException("two"));
        await second.Task;
        Assert.Equal(2, store.Statistics.FaultCounts[nameof(StorageException)]);
        Assert.Equal(2, store.Statistics.FaultCounts[nameof(InvalidOperationException)]);
    });

    [Fact]
    public Task A_handler_may_call_the_store_though_the_fault_came_under_an_epoch() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync();
        var done = new TaskCompletionSource<long?>();
        store.FaultOccurred += (_, _) =>
        {
            using FasterSession session = store.StartSession();
            session.Put(1, 2);
            done.SetResult(session.Get(1));
        };
        store.Epochs.Bump(static () => throw new StorageException("an action of the drain list"));
        store.Epochs.Drain();
        Assert.Equal(2, await done.Task);
    });

    [Fact]
    public Task Handlers_that_are_slow_do_not_make_the_store_keep_faults_without_end() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync();
        using var goOn = new ManualResetEventSlim();
        int heard = 0;
        store.FaultOccurred += (_, _) =>
        {
            goOn.Wait();
            Interlocked.Increment(ref heard);
        };
        const int all = FaultLog.MaxWaiting * 3;
        for (int i = 0; i < all; i++) store.OnFault(new StorageException("again"));
        goOn.Set();
        Assert.True(SpinWait.SpinUntil(
            () => Volatile.Read(ref heard) >= FaultLog.MaxWaiting, TimeSpan.FromSeconds(30)));
        Assert.InRange(Volatile.Read(ref heard), FaultLog.MaxWaiting, FaultLog.MaxWaiting + 1);
        Assert.Equal(all, store.Statistics.FaultCounts[nameof(StorageException)]);
    });

    private static Task<FasterStore> OpenAsync() => FasterStore.OpenAsync(
        null, new StoreOptions { MemoryBudget = ByteSize.MiB(1) }, CounterOperations.Schema, default).AsTask();
}
