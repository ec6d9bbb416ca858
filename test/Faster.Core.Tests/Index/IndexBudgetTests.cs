using Faster.Index;
using Faster.Index.Resizing;

namespace Faster.Tests.Index;

public sealed unsafe class IndexBudgetTests : IDisposable
{
    private static readonly long Page = OverflowPool.MinBytes;

    private readonly IndexTable _table = new(64);
    private readonly IndexTable _grown = new(128);
    private readonly IndexBudget _budget = new();

    public void Dispose()
    {
        _table.Dispose();
        _grown.Dispose();
    }

    [Fact]
    public void A_resize_takes_both_tables_and_the_reserved_buckets()
    {
        var state = new IndexState(_table);
        long buckets = HashBucket.SizeInBytes;
        Assert.Equal(_table.Bytes, _budget.Bytes(state));
        Assert.Equal(_table.Bytes + (128 * buckets) + 100, _budget.BytesTo(ResizeKind.Split, state, spare: 100));
        Assert.Equal(_table.Bytes + (32 * buckets) + 7, _budget.BytesTo(ResizeKind.Join, state, spare: 7));
        _budget.SetRetired(1000);
        Assert.Equal(_table.Bytes + 1000, _budget.Bytes(state));
    }

    [Fact]
    public void Inserts_reserve_up_to_the_limit_and_beyond_it_what_they_need_now()
    {
        var state = new IndexState(_table);
        _budget.Limit = _table.Bytes + Page;
        Assert.True(_budget.TryExtend(state, _table, mayExceed: false));
        while (_table.Pool.TryTake() != null) { }
        Assert.False(_budget.TryExtend(state, _table, mayExceed: false));
        Assert.True(_budget.TryExtend(state, _table, mayExceed: true));
        Assert.Equal(2 * Page, _table.OverflowBytes);
    }

    [Fact]
    public void While_it_is_split_the_old_table_gets_a_quarter_of_what_is_not_put_by()
    {
        Assert.True(_table.Pool.TryExtend(Page)); // a split may need as much twice
        while (_table.Pool.TryTake() != null) { }
        long spare = Resize.SpareBytes(ResizeKind.Split, _table);
        Assert.True(spare > 0);
        var state = new IndexState(
            IndexPhase.Resizing, new Resize(_table, _grown, spare, null!, static () => { }));
        long taken = _table.Bytes + _grown.Bytes + spare;

        _budget.Limit = taken + (4 * Page) - 1;
        Assert.False(_budget.TryExtend(state, _table, mayExceed: false));
        _budget.Limit = taken + Page - 1;
        Assert.False(_budget.TryExtend(state, _grown, mayExceed: false));
        _budget.Limit = taken + Page;
        Assert.True(_budget.TryExtend(state, _grown, mayExceed: false));
        _budget.Limit = taken + (5 * Page);
        Assert.True(_budget.TryExtend(state, _table, mayExceed: false));
    }
}
