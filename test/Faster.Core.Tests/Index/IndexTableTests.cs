using Faster.Index;
using Faster.Index.Resizing;

namespace Faster.Tests.Index;

public sealed unsafe class IndexTableTests
{
    [Fact]
    public void The_table_has_its_buckets_from_the_first_to_the_last()
    {
        using var table = new IndexTable(8);
        Assert.True(table.Contains(table.Buckets));
        Assert.True(table.Contains(table.Buckets + 7));
        Assert.False(table.Contains(table.Buckets - 1));
        Assert.False(table.Contains(table.Buckets + 8));
    }

    [Fact]
    public void A_state_knows_the_newest_table_and_that_of_a_bucket()
    {
        using IndexTable old = new(8), grown = new(16);
        Assert.Same(old, new IndexState(old).Newest);
        var state = new IndexState(IndexPhase.Resizing, new Resize(old, grown, 0, null!, static () => { }));
        Assert.Same(grown, state.Newest);
        Assert.Same(old, state.TableOf(old.Buckets + 7));
        Assert.Same(grown, state.TableOf(grown.Buckets + 7));
        Assert.Equal(16, state.LargestBucketCount);
    }
}
