using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Engines;

/// <summary>A store whose keys are far more than its index may hold.</summary>
public sealed class IndexLimitTests
{
    [Fact]
    public async Task The_index_keeps_to_half_of_the_budget_and_every_value_is_right()
    {
        const int Keys = 200_000; // 24 bytes each
        await using FasterStore store = await FasterStore.OpenAsync(
            null, new StoreOptions { MemoryBudget = ByteSize.MiB(1), Device = new MemoryDevice() },
            CounterOperations.Schema, default);
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++)
        {
            session.Put(key, key * 3);
            if (key % 10_000 == 0) AssertWithinLimit(store);
        }

        for (long key = 0; key < Keys; key += 11) Assert.NotEqual(Status.Pending, session.Remove(key));
        for (long key = 0; key < Keys; key += 3)
            Assert.Equal(key % 11 == 0 ? null : key * 3, session.Get(key));
        AssertWithinLimit(store);
        Assert.True(store.Statistics.IndexAtLimit, store.Statistics.ToString());
        Assert.True(store.Index.SharedTagBuckets > 0);
        Assert.Null(store.Statistics.LastFault);
    }

    [Fact]
    public async Task Keys_expected_beyond_the_limit_leave_space_for_overflow()
    {
        await using FasterStore store = await FasterStore.OpenAsync(
            null,
            new StoreOptions { MemoryBudget = ByteSize.MiB(1), ExpectedKeys = 1 << 30, Device = new MemoryDevice() },
            CounterOperations.Schema, default);
        using FasterSession session = store.StartSession();
        for (long key = 0; key < 60_000; key++) session.AddTo(key, key);
        for (long key = 0; key < 60_000; key += 3) Assert.Equal(key, session.Get(key));
        AssertWithinLimit(store);
        Assert.True(store.Statistics.IndexOverflowBuckets > 0);
    }

    private static void AssertWithinLimit(FasterStore store) =>
        Assert.True(store.Statistics.IndexBytes <= 512 << 10, store.Statistics.ToString());
}
