using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Opening;
using Faster.Operations.Waiting;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines;

/// <summary>The index grows although the log has to leave memory first, and can't be written for a while.</summary>
public sealed class IndexGrowthFaultTests
{
    private static readonly StoreOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(4), PageSize = ByteSize.KiB(16), ExpectedKeys = 10_000, ReadCacheFraction = 0,
    };

    [Fact]
    public Task Growth_that_waits_for_the_log_goes_on_when_it_is_written() => Guard.RunAsync(() =>
    {
        var held = new HeldWrites(new MemoryDevice());
        using FasterStore store = Open(null, held);
        using FasterSession session = store.StartSession();
        using IDisposable hold = held.Hold();
        FillLog(store, session);
        Task growing = store.GrowIndexAsync();
        Until(() => !store.Log.IsWithinMemory);
        Assert.Equal(0, store.Statistics.IndexGrowths);
        held.Release();
        Assert.True(growing.Wait(TestBudget.StallTimeout));
        Assert.Equal(1, store.Statistics.IndexGrowths);
    });

    [Fact]
    public Task Growth_that_has_failed_is_tried_again_by_a_commit() => Guard.RunAsync(() =>
    {
        using var folder = new TemporaryFolder();
        var device = new FaultDevice(new MemoryDevice());
        using FasterStore store = Open(folder.Path, device);
        using FasterSession session = store.StartSession();
        FailToGrow(store, session, device);
        device.Arm(FaultPlan.None);
        Assert.True(store.CommitAsync().Wait(TestBudget.StallTimeout));
        Until(() => store.Statistics.IndexGrowths > 0);
    });

    [Fact]
    public Task Growth_that_has_failed_is_tried_again_by_inserts_after_a_pause() => Guard.RunAsync(() =>
    {
        var device = new FaultDevice(new MemoryDevice());
        using FasterStore store = Open(null, device);
        using FasterSession session = store.StartSession();
        int key = FailToGrow(store, session, device);
        device.Arm(FaultPlan.None);
        Until(() =>
        {
            session.PutBytes(key++, new byte[8]); // about one in a millisecond
            return store.Statistics.IndexGrowths > 0;
        });
    });

    // Inserts until the index is crowded, while nothing of the log can leave memory.
    private static int FailToGrow(FasterStore store, FasterSession session, FaultDevice device)
    {
        device.Arm(new FaultPlan
        {
            Faults = [new Fault(FaultTarget.Write, 1, FaultFlavor.NoSpace, Persistent: true)],
        });
        int key = 0;
        while (store.Statistics.IndexOverflowBuckets < (store.Index.BucketCount / 5) - 10)
            session.PutBytes(key++, new byte[8]);
        FillLog(store, session); // by longer values of the same keys, which take no entries
        Assert.False(store.Index.IsCrowded);
        while (!store.Index.IsCrowded) session.PutBytes(key++, new byte[8]);
        Until(() => store.Statistics.LastFault is StorageException);
        Assert.Equal(0, store.Statistics.IndexGrowths);
        Assert.True(store.Index.IsCrowded);
        return key;
    }

    private static FasterStore Open(string? folder, Device device) => FasterStore
        .OpenAsync(folder, Small with { Device = device }, BytesOperations.Schema, default)
        .AsTask().GetAwaiter().GetResult();

    // What is left would hold no larger index.
    private static void FillLog(FasterStore store, FasterSession session)
    {
        long memory = store.Core.MemoryPlan.RecordBytes(store.Index.Bytes) - (4 * store.Options.PageSize.Bytes);
        for (int key = 0; store.Log.BytesInMemory < memory; key++) session.PutBytes(key, new byte[1500]);
    }

    private static void Until(Func<bool> condition) =>
        Assert.True(SpinWait.SpinUntil(condition, TestBudget.StallTimeout), "It does not come to that.");
}
