using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.HashChunks;

namespace Faster.Tests.Engines.Tiered;

/// <summary>How a tiered store's memory is divided.</summary>
public sealed class TieredSharesTests
{
    private static readonly RecordSchema Schema = new(8, 8, 104, "long", "bytes");

    [Theory]
    [InlineData(2, 0)]
    [InlineData(2, 40_000)]
    [InlineData(48, 2_000_000)]
    [InlineData(2, 10_000)]
    [InlineData(6, 2_000_000)]
    [InlineData(12, 2_000_000)]
    [InlineData(24, 2_000_000)]
    [InlineData(64, 0)]
    [InlineData(1024, 100_000_000)]
    public void The_parts_of_the_cold_tier_stay_within_its_share(int mebibytes, long keys)
    {
        var options = new TieredOptions { MemoryBudget = ByteSize.MiB(mebibytes), ExpectedColdKeys = keys };
        TieredPlan plan = TieredPlan.For(options, Schema);
        long share = options.MemoryBudget.Bytes - plan.Hot.Plan.Budget;
        Assert.InRange(share, options.MemoryBudget.Bytes / 5, options.MemoryBudget.Bytes * 3 / 5);
        long least = 2 << plan.Cold.Plan.PageBits; // copied at a time even where the log needs all
        Assert.InRange(plan.ColdIndex.Bytes + plan.Cold.Plan.Budget, share / 2, share);
        Assert.InRange(
            plan.ColdIndex.Bytes + plan.Cold.Plan.Budget + plan.Batch.Bytes, share / 2, share + least + (64 << 10));
    }

    [Fact]
    public void All_chunks_have_copies_where_these_take_a_third_of_the_memory_at_most_or_as_the_user_has_divided_it()
    {
        var options = new TieredOptions { MemoryBudget = ByteSize.MiB(48), ExpectedColdKeys = 2_000_000 };
        TieredPlan all = TieredPlan.For(options, Schema);
        Assert.True(all.ColdIndex.StagesAll, $"{all.ColdIndex}");
        Assert.InRange(all.ColdIndex.StageBytes / 2_000_000.0, 5, 7);
        Assert.False(TieredPlan.For(options with { ExpectedColdKeys = 4_000_000 }, Schema).ColdIndex.StagesAll);
        TieredPlan divided = TieredPlan.For(options with { ColdFraction = 0.25 }, Schema);
        Assert.False(divided.ColdIndex.StagesAll);
        Assert.Equal(ByteSize.MiB(36).Bytes, divided.Hot.Plan.Budget);
    }

    [Theory]
    [InlineData(8, 4, 0)]
    [InlineData(14, 10.5, 0)]
    [InlineData(16, 12, 0)]
    [InlineData(48, 24, 0)]
    [InlineData(96, 48, 0)]
    [InlineData(96, 72, 10_000_000)]
    [InlineData(48, 24, 2_000_000)]
    public void A_store_is_opened_with_less_memory_than_it_was_made_with(int mebibytes, double fewer, long keys)
    {
        var options = new TieredOptions { MemoryBudget = ByteSize.MiB(mebibytes), ExpectedColdKeys = keys };
        TieredPlan made = TieredPlan.For(options, Schema);
        options = options with { MemoryBudget = new ByteSize((long)(fewer * (1 << 20))) };
        TieredPlan opened = TieredPlan.Of(options, made.Hot.Metadata, "the folder", buckets: null);
        Assert.Equal(made.ColdIndex.ChunkCount, opened.ColdIndex.ChunkCount);
        Assert.InRange(
            opened.Hot.Plan.Budget + opened.Cold.Plan.Budget + opened.ColdIndex.Bytes, 1, options.MemoryBudget.Bytes);
    }

    [Fact]
    public void With_little_memory_chunks_are_larger_so_that_many_records_can_be_copied_together()
    {
        var options = new TieredOptions { MemoryBudget = ByteSize.MiB(6), ExpectedColdKeys = 2_000_000 };
        TieredPlan small = TieredPlan.For(options, Schema);
        Assert.Equal(2 * ChunkIndexPlan.DefaultChunkBytes, small.ColdIndex.ChunkBytes);
        Assert.InRange(small.ColdIndex.ChunkCount * sizeof(long), 1, options.MemoryBudget.Bytes / 16);
        Assert.InRange(small.Batch.Bytes, 256 << 10, 1 << 20);
        TieredPlan large = TieredPlan.For(options with { MemoryBudget = ByteSize.MiB(24) }, Schema);
        Assert.Equal(ChunkIndexPlan.DefaultChunkBytes, large.ColdIndex.ChunkBytes);
        var chosen = new ByteSize(64);
        Assert.Equal(
            64, TieredPlan.For(options with { MemoryBudget = ByteSize.MiB(24), ChunkSize = chosen }, Schema)
                .ColdIndex.ChunkBytes);
    }
}
