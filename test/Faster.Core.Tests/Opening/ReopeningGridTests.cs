using Faster.Contracts;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.Opening;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Operations;

namespace Faster.Tests.Opening;

/// <summary>
/// A store is opened with other options than those with which it was made, or refused by an error of its own; and more
/// memory, with all else the same, never makes the difference.
/// </summary>
public sealed class ReopeningGridTests
{
    private static readonly int[] Memory = [2, 6, 16, 32, 64, 128]; // MiB

    private static readonly TieredOptions[] Tiered =
    [
        new(), new() { DiskBudget = ByteSize.MiB(80) }, new() { DiskBudget = ByteSize.MiB(12) },
        new() { ExpectedColdKeys = 200_000 }, new() { ExpectedColdKeys = 1_000_000, DiskBudget = ByteSize.MiB(40) },
        new() { ExpectedHotKeys = 300_000, ReadCacheFraction = 0 }, new() { ColdFraction = 0.4 },
        new() { PageSize = ByteSize.KiB(64) }, new() { HotLogSize = ByteSize.MiB(4), DiskBudget = ByteSize.MiB(16) },
        new() { ChunkSize = ByteSize.KiB(1), CompactionThreads = 4 },
    ];

    private static readonly StoreOptions[] One =
    [
        new(), new() { DiskBudget = ByteSize.MiB(4) }, new() { DiskBudget = ByteSize.MiB(80) },
        new() { ExpectedKeys = 2_000_000 }, new() { PageSize = ByteSize.KiB(4) },
        new() { PageSize = ByteSize.MiB(1), ExpectedKeys = 10_000 },
        new() { ReadCacheFraction = 0, MutableFraction = 0.5, CompactionThreads = 4, SegmentSize = ByteSize.MiB(1) },
    ];

    [Theory]
    [InlineData(6, 1)] // seen in a review: refused with 64 and 128 MiB
    [InlineData(2, 0)]
    [InlineData(64, 0)]
    [InlineData(16, 4)]
    public async Task Two_tiers_open_in_a_folder_or_say_why_not(int memory, int made)
    {
        using var folder = new TemporaryFolder();
        await AssertOpensAsync(
            async (options, budget) => await TieredStore.OpenAsync(
                folder.Path, options with { MemoryBudget = budget, SegmentSize = ByteSize.MiB(1) },
                CounterOperations.Schema, default),
            Tiered[made], memory, Tiered);
    }

    [Theory]
    [InlineData(2, 0)]
    [InlineData(64, 0)]
    [InlineData(16, 3)]
    [InlineData(64, 5)]
    public async Task One_tier_opens_in_a_folder_or_says_why_not(int memory, int made)
    {
        using var folder = new TemporaryFolder();
        await AssertOpensAsync(
            async (options, budget) => await FasterStore.OpenAsync(
                folder.Path, options with { MemoryBudget = budget }, CounterOperations.Schema, default),
            One[made], memory, One);
    }

    [Fact]
    public void More_memory_never_refuses_two_tiers()
    {
        int opened = 0;
        foreach (TieredOptions made in Tiered)
        {
            foreach (int memory in Memory)
            {
                TieredPlan plan;
                try
                {
                    plan = TieredPlan.For(made with { MemoryBudget = ByteSize.MiB(memory) }, CounterOperations.Schema);
                }
                catch (ArgumentOutOfRangeException)
                {
                    continue; // there is no such store
                }

                // Its hot index may have grown to the limit.
                foreach (long buckets in new[] { plan.Hot.Plan.Buckets, plan.Hot.Plan.IndexLimit / 64 })
                {
                    opened += Tiered.Sum(others => CountOpened(memory, budget => TieredPlan.Of(
                        others with { MemoryBudget = budget }, plan.Hot.Metadata, "folder", buckets)));
                }
            }
        }

        Assert.True(opened > 1000, $"Only {opened} combinations have opened.");
    }

    [Fact]
    public void More_memory_never_refuses_one_tier()
    {
        int opened = 0;
        foreach (StoreOptions made in One)
        {
            foreach (int memory in Memory)
            {
                MemoryPlan plan;
                try
                {
                    plan = MemoryPlan.For(made with { MemoryBudget = ByteSize.MiB(memory) }, CounterOperations.Schema);
                }
                catch (ArgumentOutOfRangeException)
                {
                    continue;
                }

                var pageSize = new ByteSize(1L << plan.PageBits);
                foreach (long buckets in new[] { plan.Buckets, plan.IndexLimit / 64 })
                {
                    opened += One.Sum(others => CountOpened(memory, budget => MemoryPlan.ForFolder(
                        others with { MemoryBudget = budget, PageSize = pageSize }, "folder", buckets)));
                }
            }
        }

        Assert.True(opened > 500, $"Only {opened} combinations have opened.");
    }

    // From the least budget with which it opens on, it opens with each.
    private static int CountOpened(int made, Func<ByteSize, object> open)
    {
        int opened = 0;
        for (double mebibytes = 2; mebibytes < 300; mebibytes *= 1.1)
        {
            var budget = ByteSize.KiB((long)(mebibytes * 1024));
            try
            {
                _ = open(budget);
                opened++;
            }
            catch (StoreOpenException e)
            {
                Assert.True(opened == 0, $"Made with {made} MiB, refused with {budget}, not with less: {e.Message}");
            }
        }

        return opened;
    }

    private static async Task AssertOpensAsync<TOptions>(
        Func<TOptions, ByteSize, Task<IAsyncDisposable>> open, TOptions made, int memory, TOptions[] others)
    {
        await using (IAsyncDisposable store = await open(made, ByteSize.MiB(memory)))
        {
        }

        foreach (TOptions other in others)
        {
            bool hasOpened = false;
            foreach (int budget in Memory)
            {
                try
                {
                    await using IAsyncDisposable store = await open(other, ByteSize.MiB(budget));
                    hasOpened = true;
                }
                catch (StoreOpenException e)
                {
                    Assert.False(hasOpened, $"{other} with {budget} MiB, but not with less: {e.Message}");
                }
            }

            if (ReferenceEquals(other, made)) Assert.True(hasOpened);
        }
    }
}
