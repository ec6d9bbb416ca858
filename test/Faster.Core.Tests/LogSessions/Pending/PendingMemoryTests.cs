using Faster.Commits;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.LogSessions.Pending;
using Faster.Operations.Waiting;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.LogSessions.Pending;

/// <summary>Operations that wait for the disk keep to their share of memory, in every form, and all end.</summary>
public sealed class PendingMemoryTests : IDisposable
{
    private const int Keys = 120, Bytes = 40_000, MaxOfOne = 64 << 10;

    private static readonly StoreOptions Wide = Options with
    {
        MemoryBudget = ByteSize.MiB(4), PageSize = ByteSize.KiB(64), SegmentSize = ByteSize.MiB(1),
    };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public Task An_idle_session_holds_up_no_other() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenFilledAsync();
        using FasterSession idle = store.StartSession(), busy = store.StartSession();
        Counters left = ReadAll(idle, 60), right = ReadAll(busy, 60);
        busy.CompletePending(wait: true);
        right.AssertAll(60);
        Assert.Equal(Value(Bytes, 7), await busy.ReadAsync(7));
        using (var stall = new CancellationTokenSource(TestBudget.StallTimeout))
            await busy.CompletePendingAsync(stall.Token);

        Assert.True(store.Core.PendingMemory.SharedBytes <= store.Core.PendingMemory.Limit);
        idle.CompletePending(wait: true);
        left.AssertAll(60);
        AssertNothingHeld(store);
    });

    [Fact]
    public Task A_commit_continues_what_idle_sessions_wait_for() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenFilledAsync(path: _folder.Path);
        using FasterSession idle = store.StartSession(), other = store.StartSession();
        Counters left = ReadAll(idle, 60), right = ReadAll(other, 60);
        Assert.Equal(60, idle.PendingCount);
        _ = await store.CommitAsync();
        idle.CompletePending(wait: false); // nothing is left but to hear of it
        other.CompletePending(wait: false);
        left.AssertAll(60);
        right.AssertAll(60);
        AssertNothingHeld(store);
    });

    // While a commit waits for operations, the store continues all of them, so that each share comes back and a large
    // one is waited for. Then it does not any more, and an idle session may keep its share for as long as it likes.
    [Fact]
    public Task An_operation_that_waits_for_a_share_when_a_commit_ends_gets_it() => Guard.RunAsync(async () =>
    {
        const int Small = 1_000, Large = 2_000; // needs no share; one that does not fit in beside any other
        var device = new HeldReads(new MemoryDevice());
        await using FasterStore store = await OpenFilledAsync(Wide with { Device = device }, _folder.Path);
        using FasterSession first = store.StartSession(), idle = store.StartSession(),
            other = store.StartSession();
        byte[] large = Value((int)store.Core.PendingMemory.Limit - 1_000, Large);
        other.PutBytes(Small, Value(100, Small));
        other.PutBytes(Keys, Value(Bytes, Keys)); // so that they share no block
        other.PutBytes(Large, large);
        for (int key = Keys + 1; key < 2 * Keys; key++) other.PutBytes(key, Value(Bytes, key));
        device.Hold(end: long.MaxValue);
        Counters held = new(), left = new();
        Assert.Equal(Status.Pending, first.Read(Small, held));
        await device.HeldAsync(1);
        Task<Commit> commit = store.CommitAsync();
        while (store.Commits.Current.Phase != CommitPhase.WaitPending) await Task.Yield();
        Assert.Equal(Status.Pending, idle.Read(Keys / 2, left));
        await device.HeldAsync(2); // of the version after: the commit does not wait for it
        device.ReleaseOne(1);
        await device.HeldAsync(2); // its size is known now: it has its share
        device.HoldNoMore();
        Task<byte[]?> waiting = other.ReadAsync(Large).AsTask();
        while (store.Core.PendingMemory.Waiting == 0) await Task.Yield();
        device.ReleaseOne();
        _ = await commit;
        Assert.Equal(large, await waiting);
        device.Release();
        first.CompletePending(wait: true);
        idle.CompletePending(wait: true);
        Assert.Equal((1, 1), (held.Completions, left.Completions));
        AssertNothingHeld(store);
    });

    [Fact]
    public Task As_many_awaited_operations_are_under_way_as_may_be() => Guard.RunAsync(async () =>
    {
        var device = new HeldReads(new MemoryDevice());
        await using FasterStore store = await OpenFilledAsync(Wide with { MaxPendingPerSession = 8 }, device: device);
        using FasterSession session = store.StartSession();
        device.Hold(end: long.MaxValue); // only the operations under test read
        Task<byte[]?>[] reads = [.. Enumerable.Range(0, 60).Select(key => session.ReadAsync(key).AsTask())];
        Assert.Equal(8, device.Count);
        device.Release();
        for (int key = 0; key < reads.Length; key++) Assert.Equal(Value(Bytes, key), await reads[key]);
        AssertNothingHeld(store);
    });

    [Fact]
    public Task Small_operations_beyond_the_memory_go_on_one_by_one() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenFilledAsync();
        using FasterSession session = store.StartSession();
        store.Core.PendingMemory.Count(1 << 30); // as if others had as much under way
        Counters counters = ReadAll(session, 20);
        Assert.Equal(1, session.PendingCount);
        Task<byte[]?>[] reads = [.. Enumerable.Range(0, 20).Select(key => session.ReadAsync(key).AsTask())];
        for (int key = 0; key < reads.Length; key++) Assert.Equal(Value(Bytes, key), await reads[key]);
        session.CompletePending(wait: true);
        counters.AssertAll(20);
        store.Core.PendingMemory.Count(-(1 << 30));
        AssertNothingHeld(store);
    });

    [Fact]
    public Task Cancelling_ends_the_waiting_and_not_the_operation() => Guard.RunAsync(async () =>
    {
        var device = new HeldReads(new MemoryDevice());
        await using FasterStore store = await OpenFilledAsync(Wide with { MaxPendingPerSession = 1 }, device: device);
        using FasterSession session = store.StartSession();
        device.Hold(end: long.MaxValue); // only the operations under test read
        Task<byte[]?> first = session.ReadAsync(1).AsTask();
        using var cancellation = new CancellationTokenSource();
        ValueTask<int> second = session.ReadLengthAsync(2, cancellation.Token);
        Task<byte[]?> third = session.ReadAsync(3).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await second);
        Assert.Equal((3, false), (session.PendingCount, third.IsCompleted));
        using var gone = new CancellationTokenSource();
        Task completing = session.CompletePendingAsync(gone.Token).AsTask();
        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => completing);
        device.Release();
        Assert.Equal(Value(Bytes, 1), await first);
        Assert.Equal(Value(Bytes, 3), await third);
        session.CompletePending(wait: true);
        AssertNothingHeld(store);
    });

    [Fact]
    public Task Those_that_fail_give_their_shares_back() => Guard.RunAsync(async () =>
    {
        var device = new FaultDevice(new MemoryDevice());
        await using FasterStore store = await OpenFilledAsync(device: device);
        using FasterSession session = store.StartSession(), idle = store.StartSession();
        Counters left = ReadAll(idle, 10);
        device.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Read, 8, Persistent: true)] });
        Counters counters = ReadAll(session, 40);
        Task<byte[]?>[] reads = [.. Enumerable.Range(0, 40).Select(key => session.ReadAsync(key).AsTask())];
        Assert.ThrowsAny<Exception>(() => session.CompletePending(wait: true));
        foreach (Task<byte[]?> read in reads) await Assert.ThrowsAsync<StorageException>(() => read);
        Assert.Equal(40, counters.Completions);
        device.Arm(FaultPlan.None);
        try
        {
            idle.CompletePending(wait: true);
        }
        catch (Exception e) when (e is StorageException or AggregateException)
        {
            // one that was read before, or another one
        }

        Assert.Equal(10, left.Completions);
        AssertNothingHeld(store);
        Assert.Equal(Value(Bytes, 5), await session.ReadAsync(5));
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Closing_waits_for_what_waits_for_memory(bool ofStore) => Guard.RunAsync(async () =>
    {
        var device = new HeldReads(new MemoryDevice());
        FasterStore store = await OpenFilledAsync(Wide with { MaxPendingPerSession = 20 }, device: device);
        FasterSession session = store.StartSession(), idle = store.StartSession();
        device.Hold(end: long.MaxValue); // only the operations under test read
        Counters counters = ReadAll(idle, 15);
        Task<byte[]?>[] reads = [.. Enumerable.Range(0, 60).Select(key => session.ReadAsync(key).AsTask())];
        Task closing = Task.Run(async () =>
        {
            if (!ofStore) await session.DisposeAsync();
            await store.DisposeAsync();
        });
        Assert.False(closing.IsCompleted);
        device.Release();
        await closing;
        for (int key = 0; key < reads.Length; key++) Assert.Equal(Value(Bytes, key), await reads[key]);
        counters.AssertAll(15);
    });

    [Fact]
    public Task A_record_larger_than_the_share_goes_through_by_itself() => Guard.RunAsync(async () =>
    {
        // A share of 32 KiB, and records of 64.
        await using FasterStore store = await OpenFilledAsync(
            Wide with { MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(64), ExpectedKeys = 100 });
        Assert.True(store.Core.PendingMemory.Limit < MaxOfOne);
        using FasterSession session = store.StartSession(), other = store.StartSession();
        Counters left = ReadAll(session, 30), right = ReadAll(other, 30);
        Task<byte[]?>[] reads = [.. Enumerable.Range(0, 30).Select(key => other.ReadAsync(key).AsTask())];
        for (int key = 0; key < reads.Length; key++)
        {
            Assert.Equal(Value(Bytes, key), await reads[key]);
            Assert.True(store.Core.PendingMemory.SharedBytes <= MaxOfOne);
        }

        other.CompletePending(wait: true);
        session.CompletePending(wait: true);
        left.AssertAll(30);
        right.AssertAll(30);
        AssertNothingHeld(store);
    });

    [Fact]
    public Task Values_in_chunks_are_gathered_within_the_share() => Guard.RunAsync(async () =>
    {
        var device = new HeldReads(new MemoryDevice());
        await using FasterStore store = await LargeStore.OpenAsync(device: device);
        using FasterSession session = store.StartSession(), idle = store.StartSession();
        for (int key = 0; key < 20; key++) session.PutBytes(key, Value(90_000, key));
        for (int key = 100; key < 200; key++) session.PutBytes(key, Value(20_000, key));
        Counters counters = ReadAll(idle, 20);
        Task<byte[]?>[] reads = [.. Enumerable.Range(0, 20).Select(key => session.ReadAsync(key).AsTask())];
        for (int key = 0; key < reads.Length; key++)
        {
            Assert.Equal(Value(90_000, key), await reads[key]);
            Assert.True(store.Core.PendingMemory.SharedBytes <= 90_000);
        }

        idle.CompletePending(wait: true);
        counters.AssertAll(20, 90_000);
        AssertNothingHeld(store);
    });

    // Updates hold shares while commits hold their buckets up, and the other way round.
    [Theory]
    [InlineData(PendingOrder.Strict)]
    [InlineData(PendingOrder.Relaxed)]
    public Task Sessions_of_every_form_end_beside_commits(PendingOrder order) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenFilledAsync(Wide with { PendingOrder = order }, _folder.Path);
        using FasterSession idle = store.StartSession();
        int rounds = TestBudget.Times(6), open = 4;
        Task[] work = [.. Enumerable.Range(0, 4).Select(number => Task.Run(async () =>
        {
            await using FasterSession session = store.StartSession();
            var random = new Random(number);
            for (int round = 0; round < rounds; round++)
            {
                List<Task<int>> reads = [];
                for (int i = 0; i < 12; i++)
                {
                    int key = random.Next(Keys);
                    if (i % 3 == 0) reads.Add(session.ReadLengthAsync(key).AsTask());
                    else if (i % 3 == 1) session.Append(key, [1]);
                    else _ = session.Read(key, new Counters());
                }

                foreach (Task<int> read in reads) Assert.InRange(await read, Bytes, Bytes + 1_000);
            }

            session.CompletePending(wait: true);
            Interlocked.Decrement(ref open);
        }))];
        Counters left = ReadAll(idle, 20);
        while (Volatile.Read(ref open) != 0 && !work.Any(task => task.IsFaulted)) _ = await store.CommitAsync();
        await Task.WhenAll(work);
        idle.CompletePending(wait: true);
        Assert.Equal(20, left.Keys);
        AssertNothingHeld(store);
        long ones = 0;
        for (int key = 0; key < Keys; key++) ones += idle.GetBytes(key)!.Length - Bytes;
        Assert.Equal(4 * rounds * 4, ones);
    });

    private static async Task<FasterStore> OpenFilledAsync(
        StoreOptions? options = null, string? path = null, Device? device = null)
    {
        FasterStore store = await LargeStore.OpenAsync(options ?? Wide, path, device);
        using FasterSession session = store.StartSession();
        for (int key = 0; key < Keys; key++) session.PutBytes(key, Value(Bytes, key));
        return store;
    }

    private static Counters ReadAll(FasterSession session, int count)
    {
        var counters = new Counters();
        for (int key = 0; key < count; key++) _ = session.Read(key, counters);
        return counters;
    }

    private static void AssertNothingHeld(FasterStore store)
    {
        PendingMemory memory = store.Core.PendingMemory;
        Assert.Equal((0, 0, 0), (memory.SharedBytes, memory.SmallBytes, memory.Waiting));
    }
}
