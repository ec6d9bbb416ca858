using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Compaction;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Journaling;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Sessions;

/// <summary>A session that is made of one that has ended hears nothing of that, and holds none of its memory.</summary>
public sealed class EndedSessionTests
{
    [Fact]
    public async Task A_handler_that_is_added_to_an_ended_session_hears_no_other()
    {
        using var folder = new DurableFolder(CounterOperations.Schema);
        await using FasterStore store = folder.Open();
        int heard = 0;
        FasterSession ended = store.StartSession();
        ended.AddTo(1, 1);
        ended.Dispose();
        ended.Committed += _ => heard++;
        using FasterSession next = store.StartSession();
        AssertMadeOf(ended, next);
        next.AddTo(1, 1);
        Assert.Equal(1, (await next.CommitAsync()).SerialNumber);
        Assert.Equal(0, heard);
    }

    [Fact]
    public void The_copy_of_a_large_value_ends_with_its_session()
    {
        using var folder = new DurableFolder(BytesOperations.Schema);
        using FasterStore store = folder.Open(folder.Options with { MemoryBudget = ByteSize.MiB(16) });
        FasterSession ended = store.StartSession();
        for (int i = 0; i < 2; i++) ended.PutBytes(1, Value(20_000, i));
        Assert.InRange(ended.Attempt.Entry!.ScratchBytes, 20_000, int.MaxValue); // or nothing is shown
        ended.Dispose();
        using FasterSession next = store.StartSession();
        AssertMadeOf(ended, next);
        Assert.InRange(next.Attempt.Entry!.ScratchBytes, 0, 4 << 10);
    }

    [Fact]
    public Task The_queue_of_many_awaited_operations_ends_with_their_session() => Guard.RunAsync(async () =>
    {
        const int Keys = 600, Most = 64;
        var device = new HeldReads(new MemoryDevice());
        await using FasterStore store = await LargeStore.OpenAsync(
            LargeStore.Options with { MaxPendingPerSession = 1 }, device: device);
        using (FasterSession filling = store.StartSession("filling"))
            for (int key = 0; key < Keys; key++) filling.PutBytes(key, Value(3_000, key)); // more than memory has
        FasterSession ended = store.StartSession();
        device.Hold(end: long.MaxValue);
        List<Task<byte[]?>> reads = [];
        for (int round = 0; round < 5; round++)
        {
            // By threads of which none calls so often that it keeps the session.
            var caller = new Thread(() =>
            {
                for (int i = 0; i < 50; i++) reads.Add(ended.ReadAsync(1).AsTask());
            });
            caller.Start();
            caller.Join();
        }

        device.Release();
        foreach (Task<byte[]?> read in reads) Assert.Equal(Value(3_000, 1), await read);
        Assert.InRange(ended.Pending.Room, Most + 1, int.MaxValue); // or nothing is shown
        await ended.DisposeAsync();
        using FasterSession next = store.StartSession();
        AssertMadeOf(ended, next);
        Assert.InRange(next.Pending.Room, 0, Most);
    });

    private static void AssertMadeOf(FasterSession ended, FasterSession next)
    {
        Assert.NotSame(ended, next);
        Assert.Same(ended.Attempt, next.Attempt);
    }
}
