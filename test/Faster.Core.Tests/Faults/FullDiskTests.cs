using System.Diagnostics;
using Faster.Devices;
using Faster.Tests.Engines;
using Faster.Tests.Operations.Large;
using Xunit.Abstractions;

namespace Faster.Tests.Faults;

/// <summary>A full disk pushes back on writers by a typed error, loses nothing, and ends when space is freed.</summary>
public sealed class FullDiskTests(ITestOutputHelper output)
{
    private readonly LostTime _lost = new();

    [Fact]
    public Task After_space_is_freed_the_store_goes_on_with_every_acknowledged_update() => Guard.RunAsync(() =>
    {
        using var disk = new SmallDisk(ByteSize.MiB(4), ballast: ByteSize.MiB(3));
        output.WriteLine(disk.IsMounted
            ? "Ran on a tmpfs of 4 MiB."
            : "No right to mount a tmpfs: ran with injected ENOSPC over a memory device.");
        const int segment = 12288 * 5;
        using var store = disk.IsMounted
            ? new FaultedStore(inner: new SegmentedFileDevice(disk.Path, segment))
            : new FaultedStore();
        if (!disk.IsMounted)
            store.Device.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Write, 80, FaultFlavor.NoSpace, true)] });
        int acknowledged = PutUntilRefused(store, out StorageException refused);
        Assert.True(refused.MayRetry);
        Assert.Contains("Free space", refused.Message, StringComparison.Ordinal);
        for (int key = 0; key < acknowledged; key += 13) Assert.Equal(key * 3L, store.Session.Get(key));
        Assert.ThrowsAny<StorageException>(() => PutAll(store, acknowledged, FaultedStore.Keys));

        if (disk.IsMounted) disk.Free();
        else store.Mend();
        PutAllInTheEnd(store, acknowledged);
        for (int key = 0; key < FaultedStore.Keys; key += 5) Assert.Equal(key * 3L, store.Session.Get(key));
    });

    // An attempt to write that began before space was freed may still fail after: «call again», the error says.
    private static void PutAllInTheEnd(FaultedStore store, int from)
    {
        for (int refusals = 0; ; refusals++)
        {
            try
            {
                PutAll(store, from, FaultedStore.Keys);
                return;
            }
            catch (StorageException e) when (e.MayRetry && refusals < 3)
            {
            }
        }
    }

    [Fact]
    public Task A_memory_device_that_is_full_refuses_typed_keeps_what_it_has_and_lets_the_store_close() =>
        Guard.RunAsync(() =>
        {
            using var store = new FaultedStore(inner: new MemoryDevice(ByteSize.KiB(256)));
            int acknowledged = PutUntilRefused(store, out _);
            for (int key = 0; key < acknowledged; key++) Assert.Equal(key * 3L, store.Session.Get(key));
            store.Session.AddTo(acknowledged - 1, 1); // updates in place go on
            Assert.Equal(((acknowledged - 1) * 3L) + 1, store.Session.Get(acknowledged - 1));
            long start = Stopwatch.GetTimestamp();
            store.Store.Dispose();
            AssertWithinASecond(start);
        });

    [Fact]
    public Task Awaited_operations_that_wait_for_space_all_fail_within_a_second_when_the_disk_fails() =>
        Guard.RunAsync(async () =>
        {
            using var held = new HeldWrites(new MemoryDevice());
            using var store = new FaultedStore(inner: held);
            held.Hold();
            var parked = new List<Task<Status>>();
            for (int key = 0; parked.Count < 20; key++)
            {
                Task<Status> add = store.Session.AddAsync(key, 1).AsTask();
                if (!add.IsCompleted) parked.Add(add);
            }

            store.Break(FaultTarget.Write); // what is held, and every later try, fails
            long start = Stopwatch.GetTimestamp();
            held.Fail();
            foreach (Task<Status> add in parked)
            {
                var error = await Assert.ThrowsAsync<StorageException>(() => add);
                Assert.True(error.MayRetry);
            }

            AssertWithinASecond(start);
            store.Mend();
            for (int key = 100_000; key < 100_100; key++) await Retry(() => store.Session.AddAsync(key, 5).AsTask());
            for (int key = 100_000; key < 100_100; key++) Assert.Equal(5, await store.Session.GetAsync(key));
        });

    private void AssertWithinASecond(long start)
    {
        TimeSpan taken = _lost.Taken(start, FaultedRun.Limit);
        Assert.True(taken < FaultedRun.Limit, $"It took {taken}.");
    }

    private static async Task Retry(Func<Task> work)
    {
        for (int tries = 1; ; tries++)
        {
            try
            {
                await work();
                return;
            }
            catch (StorageException) when (tries < 10)
            {
                // The earlier failure may be reported once more, to the next caller.
            }
        }
    }

    private int PutUntilRefused(FaultedStore store, out StorageException refused)
    {
        for (int key = 0; ; key++)
        {
            Assert.True(key < FaultedStore.Keys, "The disk was never full.");
            long start = Stopwatch.GetTimestamp();
            try
            {
                store.Session.Put(key, key * 3L);
            }
            catch (StorageException e)
            {
                AssertWithinASecond(start);
                refused = e;
                return key;
            }
        }
    }

    private static void PutAll(FaultedStore store, int from, int to)
    {
        for (int key = from; key < to; key++) store.Session.Put(key, key * 3L);
    }
}
