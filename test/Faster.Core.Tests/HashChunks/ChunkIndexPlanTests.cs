using Faster.HashChunks;

namespace Faster.Tests.HashChunks;

/// <summary>The memory of the index of cold records.</summary>
public sealed class ChunkIndexPlanTests
{
    [Theory]
    [InlineData(64, 2.0)]
    [InlineData(256, 0.4)]
    [InlineData(1024, 0.1)]
    public void A_cold_key_takes_less_than_a_byte_of_memory_with_chunks_of_256_bytes(int chunkBytes, double most)
    {
        const long Keys = 50_000_000;
        ChunkIndexPlan plan = ChunkIndexPlan.For(256 << 20, Keys, chunkBytes);
        Assert.InRange((double)plan.ChunkCount * sizeof(long) / Keys, 0, most);
        Assert.InRange(plan.Bytes, 1, 256 << 20);
    }

    [Fact]
    public void Memory_that_is_too_small_is_refused_with_what_is_needed()
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => ChunkIndexPlan.For(1 << 20, 50_000_000));
        Assert.Contains("50,000,000", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(32)]
    [InlineData(100)]
    [InlineData(8192)]
    public void A_chunk_is_a_power_of_two_within_bounds(int chunkBytes) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => ChunkIndexPlan.For(1 << 20, 1000, chunkBytes));

    [Fact]
    public void A_disk_budget_holds_all_chunks_twice()
    {
        ChunkIndexPlan plan = ChunkIndexPlan.For(8 << 20, 1_000_000, diskBudget: 1);
        Assert.InRange(plan.DiskBudget, 2 * plan.ChunkCount * plan.RecordBytes, long.MaxValue);
    }
}
