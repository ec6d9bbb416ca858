using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations.Journaling;

/// <summary>A write beside a sync that is held up, by threads of the system.</summary>
public sealed class WriteTicketTests
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(300), Long = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task A_write_returns_only_when_a_sync_has_ended_that_began_after_it_was_published() =>
        Assert.False(await ReturnsBeforeSyncAsync(null), "The write was acknowledged before it was durable.");

    [Fact]
    public async Task A_write_that_waits_for_the_sync_before_it_is_found() => Assert.True(
        await ReturnsBeforeSyncAsync(SeededBug.TicketBeforePublished),
        "The write was acknowledged only when it was durable.");

    /// <summary>Whether a write returns while the sync is held up that makes it durable.</summary>
    private static async Task<bool> ReturnsBeforeSyncAsync(SeededBug? bug)
    {
        using var journal = new JournaledStore<WordShape>(logs: 1, sessions: 1, isHeld: true);
        using IDisposable? seeded = bug is { } one ? SeededProbe.Seed(one) : null; // the store has a probe of its own
        await Task.Run(() => journal.Store.Put(0, 1, 5)).WaitAsync(Long);
        journal.Sync();
        journal.MaySync.Reset();
        Task write = Task.Run(() => journal.Store.Put(0, 1, 6));
        Assert.True(journal.IsHeldUp.Wait(Long));
        bool returns = ((IAsyncResult)write).AsyncWaitHandle.WaitOne(Moment);
        journal.MaySync.Set();
        await write.WaitAsync(Long);
        return returns;
    }
}
