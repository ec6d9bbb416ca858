using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Index;
using Faster.Log;
using Faster.Operations.Waiting;
using Faster.Tests.Operations;

namespace Faster.Tests.Engines;

/// <summary>The index of a store whose records lie on disk, where a split copies what leads to them.</summary>
public sealed class ColdIndexTests
{
    private const int Cold = 400, Keys = 4_000; // the least index has 448 slots

    public static TheoryData<RecordAllocatorKind> Kinds => [RecordAllocatorKind.Hybrid, RecordAllocatorKind.AppendOnly];

    [Theory, MemberData(nameof(Kinds))]
    public async Task It_grows_with_the_keys_and_not_with_the_copies_of_entries(RecordAllocatorKind kind)
    {
        await using FasterStore store = await OpenColdAsync(kind);
        using FasterSession session = store.StartSession();
        for (long keys = Cold; keys < Keys; keys += 100)
        {
            for (long key = keys; key < keys + 100; key++) session.Put(key, key);
            await MakeColdAsync(store);
        }

        for (long key = 0; key < Keys; key++) Assert.Equal(key, session.Get(key));
        Assert.True(
            SpinWait.SpinUntil(() => store.Statistics.IndexGrowths >= 3, TestBudget.StallTimeout), "It does not grow.");
        Assert.True(HashBucket.EntryCount * store.Index.BucketCount <= 4 * Keys, store.Statistics.ToString());
        Assert.Null(store.Statistics.LastFault);
    }

    [Theory, MemberData(nameof(Kinds))]
    public async Task It_can_be_halved_where_entries_are_copies(RecordAllocatorKind kind)
    {
        await using FasterStore store = await OpenColdAsync(kind);
        int doublings = 0;
        for (; ; doublings++)
        {
            try
            {
                await store.GrowIndexAsync();
            }
            catch (LimitExceededException)
            {
                break;
            }
        }

        Assert.True(doublings >= 5, $"{doublings} doublings");
        for (int i = 0; i < doublings; i++) await store.ShrinkIndexAsync();
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Cold; key++) Assert.Equal(key, session.Get(key));
    }

    private static async Task<FasterStore> OpenColdAsync(RecordAllocatorKind kind)
    {
        FasterStore store = await FasterStore.OpenAsync(
            null,
            new StoreOptions
            {
                MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(4), ReadCacheFraction = 0, ExpectedKeys = 1,
                Allocator = kind, Device = new MemoryDevice(),
            },
            CounterOperations.Schema, default);
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Cold; key++) session.Put(key, key);
        await MakeColdAsync(store);
        return store;
    }

    // Everything but the last page.
    private static async Task MakeColdAsync(FasterStore store)
    {
        var log = (PagedLog)store.Log;
        long tail = log.ShiftReadOnlyToTail();
        await log.Gate.WaitForAsync(() => log.FlushedUntilAddress >= tail, default);
        log.Evict(tail / log.PageSize * log.PageSize);
    }
}
