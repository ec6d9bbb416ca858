using Faster.Contracts;
using Faster.Devices;
using Faster.Tests.Faults;

namespace Faster.Tests.Store;

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
        using FasterStore<NoProbe> store = FasterStore<NoProbe>
            .OpenAsync(null, Small with { Device = held }, BytesOperations.Schema, default)
            .AsTask().GetAwaiter().GetResult();
        using FasterSession<NoProbe> session = store.StartSession();
        held.Hold();
        long memory = store.Plan.RecordBytes(store.Index.Bytes) - (4 * store.Options.PageSize.Bytes);
        for (int key = 0; store.Log.BytesInMemory < memory; key++) session.PutBytes(key, new byte[1500]);
        Task growing = store.GrowIndexAsync();
        Assert.True(SpinWait.SpinUntil(() => !store.Log.IsWithinMemory, TestBudget.Patience));
        Assert.Equal(0, store.Statistics.IndexGrowths);
        held.Release();
        Assert.True(growing.Wait(TestBudget.Patience));
        Assert.Equal(1, store.Statistics.IndexGrowths);
    });
}
