using Faster.Contracts;
using Faster.Engines;
using Faster.Engines.HotRing;
using Faster.Engines.Tiered;
using Faster.Index;
using Faster.Log;
using Faster.Log.InMemory;
using Faster.Memory;
using Faster.Opening;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tiers;

namespace Faster.Tests.Memory;

/// <summary>Memory is touched where it is asked for, within the budget, and loses nothing.</summary>
public sealed class PopulateMemoryTests
{
    private const long MiB = 1 << 20;

    [LinuxFact]
    public unsafe void A_block_has_the_memory_of_the_range_and_of_no_other()
    {
        using var block = new NativeBlock(64 * MiB, hugePages: false);
        block.Pointer[40 * MiB] = 7;
        block.Populate(4 * MiB, 48 * MiB);
        Assert.True(ResidentPages.AreAll(block.Pointer + (4 * MiB), 48 * MiB));
        Assert.DoesNotContain(true, ResidentPages.Of(block.Pointer, 4 * MiB));
        Assert.DoesNotContain(true, ResidentPages.Of(block.Pointer + (52 * MiB), 12 * MiB));
        Assert.Equal(7, block.Pointer[40 * MiB]);
    }

    [LinuxFact]
    public unsafe void A_small_block_costs_memory_only_where_it_has_been_touched_too()
    {
        int page = Environment.SystemPageSize;
        using var block = new NativeBlock(4 * page);
        block.Pointer[2 * page] = 7;
        Assert.Equal([false, false, true, false], ResidentPages.Of(block.Pointer, 4 * page));
    }

    [LinuxFact]
    public unsafe void Frames_are_populated_from_a_page_on_round_the_end()
    {
        using var frames = new PageFrames(8, pageBits: 16);
        frames.Populate(firstPage: 22, pages: 4); // frames 6, 7, 0 and 1
        Assert.True(ResidentPages.AreAll(frames.Pointer, 2 << 16));
        Assert.DoesNotContain(true, ResidentPages.Of(frames.Pointer + (2 << 16), 4 << 16));
        Assert.True(ResidentPages.AreAll(frames.Pointer + (6 << 16), 2 << 16));
    }

    [Fact]
    public unsafe void Bytes_that_other_threads_write_meanwhile_stay()
    {
        const int Rounds = 200_000;
        using var block = new NativeBlock(4 * MiB);
        long* word = (long*)(block.Pointer + MiB);
        var writer = new Thread(() =>
        {
            for (int i = 0; i < Rounds; i++) Interlocked.Increment(ref *word);
        });
        writer.Start();
        while (writer.IsAlive) block.Populate(MiB, Environment.SystemPageSize);
        Assert.Equal(Rounds, *word);
    }

    [LinuxFact]
    public async Task A_store_has_its_index_and_what_is_surely_the_logs()
    {
        foreach (RecordAllocatorKind kind in Enum.GetValues<RecordAllocatorKind>())
        {
            StoreOptions options = Populating with { Allocator = kind };
            await using FasterStore store =
                await FasterStore.OpenAsync(null, options, CounterOperations.Schema, default);
            Check(store.Tier, store.Core.MemoryPlan);
        }
    }

    [LinuxFact]
    public async Task Where_records_are_on_disk_the_read_cache_has_its_share_left()
    {
        using var folder = new TemporaryFolder();
        await using FasterStore store = await OpenAsync(folder, Populating with { PopulateMemory = false });
        MemoryPlan plan = store.Core.MemoryPlan;
        store.Tier.PopulateMemory(plan, mayCache: true);
        long bytes = plan.RecordBytes(plan.IndexLimit);
        Assert.InRange(plan.CacheBytes(bytes), bytes / 2, bytes);
        Check(store.Tier, plan, bytes - plan.CacheBytes(bytes));
    }

    [LinuxFact]
    public async Task A_recovered_store_has_them_and_its_records()
    {
        const int Keys = 50_000;
        using var folder = new TemporaryFolder();
        await using (FasterStore made = await OpenAsync(folder, Populating with { PopulateMemory = false }))
        {
            using FasterSession session = made.StartSession();
            for (long key = 0; key < Keys; key++) session.Put(key, key + 1);
        }

        await using FasterStore store = await OpenAsync(folder, Populating);
        Check(store.Tier, store.Core.MemoryPlan);
        using FasterSession reader = store.StartSession();
        for (long key = 0; key < Keys; key++)
            Assert.Equal((Status.Ok, key + 1), CounterOperations.ReadToEnd(reader, key));
    }

    [LinuxFact]
    public async Task A_tiered_store_has_those_of_both_tiers()
    {
        var options = new TieredOptions { MemoryBudget = ByteSize.MiB(16), PopulateMemory = true };
        await using TieredStore store = await TieredStore.OpenAsync(null, options, CounterOperations.Schema, default);
        foreach (Tier tier in store.Core.Tiers) Check(tier, plan: null);
    }

    [LinuxFact]
    public unsafe void A_hot_ring_has_its_heads_and_the_first_half_of_its_records()
    {
        var options = new HotRingOptions
        {
            MemoryBudget = ByteSize.MiB(16), ExpectedKeys = 100_000, PopulateMemory = true,
        };
        using var store = new HotRingStore(options, CounterOperations.Schema);
        Assert.True(ResidentPages.AreAll((byte*)store.Index.State.Table.Heads, 100_000 * sizeof(ulong)));
        Assert.True(store.Arena.TryAllocate(new FreeLists(), 64, out long address));
        Assert.True(ResidentPages.AreAll((byte*)address, 7 * MiB));
    }

    private static StoreOptions Populating => new()
    {
        MemoryBudget = ByteSize.MiB(16), ExpectedKeys = 100_000, PopulateMemory = true,
    };

    private static Task<FasterStore> OpenAsync(TemporaryFolder folder, StoreOptions options) =>
        FasterStore.OpenAsync(folder.Path, options, CounterOperations.Schema, default).AsTask();

    // With a plan, exactly what the log has when the index has grown to its limit.
    private static unsafe void Check(Tier tier, MemoryPlan? plan, long? bytes = null)
    {
        IndexTable table = tier.Index.State.Table;
        Assert.True(ResidentPages.AreAll((byte*)table.Buckets, table.BucketCount * HashBucket.SizeInBytes));
        if (tier.PagedLog is not { } log)
        {
            Assert.True(tier.Log.TryAllocate(new FreeLists(), 64, out long address));
            Assert.True(ResidentPages.AreAll((byte*)address, 7 * MiB));
            return;
        }

        Assert.True(log.PageSize < NativeBlock.HugePage, $"pages of {log.PageSize} bytes are not provided together");
        long first = log.HeadAddress >> log.PageBits;
        long pages = plan is null ? 1 : (bytes ?? plan.RecordBytes(plan.IndexLimit)) >> log.PageBits;
        for (long page = first; page < first + pages; page++)
            Assert.True(ResidentPages.AreAll(log.Pointer(page << log.PageBits), log.PageSize));
        if (plan is not null)
            Assert.DoesNotContain(true, ResidentPages.Of(log.Pointer((first + pages) << log.PageBits), log.PageSize));
    }
}
