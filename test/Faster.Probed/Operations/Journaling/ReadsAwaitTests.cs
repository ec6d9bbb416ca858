using Faster.Tests.Engines;

namespace Faster.Tests.Operations.Journaling;

/// <summary>Reads beside a sync that is held up, by threads of the system.</summary>
public sealed class ReadsAwaitTests
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(300), Long = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task A_read_returns_only_what_is_durable_where_it_is_asked_to()
    {
        using var journal = new JournaledStore<WordShape>(logs: 1, sessions: 2, isHeld: true, readsAwait: true);
        ScheduledStore<WordShape> store = journal.Store;
        await Task.Run(() => store.Put(0, 1, 5)).WaitAsync(Long);
        journal.MaySync.Reset();
        Task write = Task.Run(() => store.Put(0, 1, 6));
        Assert.True(journal.IsHeldUp.Wait(Long));
        Task<long?> read = Task.Run(() => store.Get(1, 1));
        await Assert.ThrowsAsync<TimeoutException>(() => read.WaitAsync(Moment));
        Assert.False(write.IsCompleted);
        journal.MaySync.Set();
        Assert.Equal(6, await read.WaitAsync(Long));
        await write.WaitAsync(Long);
        Assert.Equal(6, await Task.Run(() => store.Get(1, 1)).WaitAsync(Long));
    }

    [Fact]
    public async Task A_read_returns_at_once_what_may_be_lost_where_it_is_not()
    {
        using var journal = new JournaledStore<WordShape>(logs: 1, sessions: 2, isHeld: true);
        ScheduledStore<WordShape> store = journal.Store;
        await Task.Run(() => store.Put(0, 1, 5)).WaitAsync(Long);
        journal.MaySync.Reset();
        Task write = Task.Run(() => store.Put(0, 1, 6));
        await Task.Run(() =>
        {
            while (store.Get(1, 1) != 6) Thread.Yield();
        }).WaitAsync(Long);
        Assert.False(write.IsCompleted);
        journal.MaySync.Set();
        await write.WaitAsync(Long);
    }
}
