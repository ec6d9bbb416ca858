using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Devices;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Faults;

/// <summary>
/// A store closed beside calls of its sessions: it waits for those, names the one that does not end, and frees nothing
/// under it; calls that come later say that the store was closed.
/// </summary>
public sealed class StoreCloseTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Beside_busy_sessions(bool asynchronously) => Guard.RunAsync(async () =>
    {
        for (int round = 0; round < TestBudget.Times(20); round++)
        {
            FasterStore store = await OpenInMemory();
            FasterSession[] sessions = [.. Enumerable.Range(0, 3).Select(i => store.StartSession($"s{i}"))];
            using var ready = new CountdownEvent(sessions.Length);
            Task[] callers = [.. sessions.Select((session, at) => Guard.RunAsync(() =>
            {
                ready.Signal();
                void CallOn()
                {
                    for (int i = 0; ; i++)
                    {
                        session.AddTo((i * 7) % 20_000, 1);
                        if (at == 0) _ = session.Get(i % 20_000);
                        if (at == 1) session.Put(i % 20_000, i);
                    }
                }

                var closed = Assert.Throws<ObjectDisposedException>((Action)CallOn);
                Assert.Contains("store", closed.Message, StringComparison.Ordinal);
                Assert.Contains("closed", closed.Message, StringComparison.Ordinal);
            }))];
            ready.Wait();
            Thread.SpinWait(round * 5_000);
            if (asynchronously) await store.DisposeAsync();
            else store.Dispose();
            await Task.WhenAll(callers);
            Assert.Equal(0, store.Statistics.Sessions);
            Assert.Null(store.Statistics.LastFault);
        }
    });

    [Fact]
    public Task Every_call_of_a_session_of_a_closed_store_says_so() => Guard.RunAsync(async () =>
    {
        FasterStore store = await OpenInMemory();
        FasterSession open = store.StartSession("a"), hitting = store.StartSession();
        hitting.Put(1, 1);
        Assert.Equal(1, hitting.Get(1)); // it has noted its epoch
        await store.DisposeAsync();
        foreach (FasterSession session in new[] { open, hitting })
        {
            Action[] calls =
            [
                () => session.Get(1), () => session.Put(1, 2), () => session.AddTo(1, 2),
                () => { _ = session.Remove(1); }, () => session.CompletePending(wait: false),
                () => session.CompletePending(wait: true), () => session.SetNextSerialNumber(100),
                () => session.TimeToLive = TimeSpan.FromHours(1),
            ];
            foreach (Action call in calls)
            {
                var closed = Assert.Throws<ObjectDisposedException>(call);
                Assert.Contains("closed", closed.Message, StringComparison.Ordinal);
            }

            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await session.CompletePendingAsync());
            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await session.CommitAsync());
            session.Dispose();
            await session.DisposeAsync();
        }

        var named = Assert.Throws<ObjectDisposedException>(() => open.Get(1));
        Assert.Contains("'a'", named.Message, StringComparison.Ordinal);
        Assert.Throws<ObjectDisposedException>(() => store.StartSession());
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task A_call_that_does_not_end_is_named_and_nothing_is_freed(bool awaited) => Guard.RunAsync(async () =>
    {
        FasterStore store = await Open(TimeSpan.FromMilliseconds(50));
        FasterSession session = store.StartSession("loader"), other = store.StartSession("other");
        session.Put(1, 1);
        using var inside = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        Task call = Guard.RunAsync(() =>
        {
            var add = new Add(1, null, () =>
            {
                inside.Set();
                leave.Wait();
            });
            Assert.Equal(Status.Ok, session.Rmw(Key(1), ref add)); // what was under way is carried out
        });
        inside.Wait();
        async Task Close()
        {
            if (awaited) await store.DisposeAsync();
            else store.Dispose();
        }

        var held = await Assert.ThrowsAsync<SessionMisuseException>(Close);
        Assert.Contains("loader", held.Message, StringComparison.Ordinal);
        Assert.Contains("CloseTimeout", held.Message, StringComparison.Ordinal);
        Assert.Throws<ObjectDisposedException>(() => other.Get(1));
        await Assert.ThrowsAsync<StoreOpenException>(async () => await Open(TimeSpan.FromSeconds(1)));
        leave.Set();
        await call;
        await Close();
        await using FasterStore again = await Open(TimeSpan.FromSeconds(1));
    });

    /// <summary>A user function that throws after the store has begun to close gives back what it held.</summary>
    [Fact]
    public Task A_call_that_throws_while_the_store_closes_ends_as_any() => Guard.RunAsync(async () =>
    {
        FasterStore store = await OpenInMemory();
        FasterSession session = store.StartSession("loader");
        session.Put(1, 1);
        using var inside = new ManualResetEventSlim();
        Task call = Guard.RunAsync(() =>
        {
            var add = new Add(1, null, () =>
            {
                inside.Set();
                while (!store.Core.Closing.HasBegun) Thread.Yield();
                throw new InvalidOperationException("the user's");
            });
            Assert.Throws<InvalidOperationException>(() => session.Rmw(Key(1), ref add));
        });
        inside.Wait();
        store.Dispose();
        await call;
        Assert.Equal(0, store.Statistics.Sessions);
    });

    /// <summary>A part that throws while it is closed does not keep the folder locked.</summary>
    [Fact]
    public Task A_part_that_fails_does_not_keep_the_others() => Guard.RunAsync(async () =>
    {
        FasterStore store = await Open(TimeSpan.FromSeconds(30), new FailingClose(new MemoryDevice()));
        using (FasterSession session = store.StartSession()) session.Put(1, 1);
        await store.DisposeAsync();
        Assert.IsType<InvalidOperationException>(store.Statistics.LastFault);
        await using FasterStore again = await Open(TimeSpan.FromSeconds(30));
    });

    private ValueTask<FasterStore> Open(TimeSpan closeTimeout, Device? device = null) =>
        FasterStore.OpenAsync(
            _folder.Path,
            new StoreOptions
            {
                MemoryBudget = ByteSize.MiB(1), CloseTimeout = closeTimeout, Device = device, CommitOnDispose = false,
            },
            Schema, default);

    private static ValueTask<FasterStore> OpenInMemory() => FasterStore.OpenAsync(
        null, new StoreOptions { MemoryBudget = ByteSize.MiB(1) }, Schema, default);

    private sealed class FailingClose(Device inner) : PassingDevice(inner)
    {
        protected override void Dispose(bool disposing)
        {
            base.Dispose(disposing);
            throw new InvalidOperationException("The device can't be closed.");
        }
    }
}
