using Faster.Contracts;
using Faster.Log;
using Faster.Opening;

namespace Faster.Tests.Opening;

public sealed class MemoryPlanTests
{
    private static readonly ByteSize TooSmall = new(StoreOptions.MinMemoryBudget.Bytes - 1);

    public static TheoryData<string, StoreOptions, string> OutOfRange => new()
    {
        { nameof(StoreOptions.MemoryBudget), new() { MemoryBudget = TooSmall }, "at least" },
        { nameof(StoreOptions.MemoryBudget), new() { MemoryBudget = new(-1) }, "at least" },
        { nameof(StoreOptions.MemoryBudget), new() { MemoryBudget = new((1L << 46) + 1) }, "64 TiB" },
        { nameof(StoreOptions.ExpectedKeys), new() { ExpectedKeys = -1 }, "0 or more" },
        { nameof(StoreOptions.Allocator), new() { Allocator = (RecordAllocatorKind)3 }, "Hybrid" },
        { nameof(StoreOptions.MutableFraction), new() { MutableFraction = 0 }, "above 0" },
        { nameof(StoreOptions.MutableFraction), new() { MutableFraction = 1.01 }, "at most 1" },
        { nameof(StoreOptions.MutableFraction), new() { MutableFraction = double.NaN }, "above 0" },
        { nameof(StoreOptions.ReadCacheFraction), new() { ReadCacheFraction = -0.1 }, "0.9" },
        { nameof(StoreOptions.ReadCacheFraction), new() { ReadCacheFraction = 0.91 }, "0.9" },
        { nameof(StoreOptions.ReadCacheFraction), new() { ReadCacheFraction = double.NaN }, "0.9" },
        { nameof(StoreOptions.PageSize), new() { PageSize = new(2048) }, "4 KiB" },
        { nameof(StoreOptions.PageSize), new() { PageSize = new(5000) }, "power of two" },
        { nameof(StoreOptions.PageSize), new() { PageSize = new(-4096) }, "power of two" },
        { nameof(StoreOptions.PageSize), new() { PageSize = ByteSize.MiB(64) }, "32 MiB" },
        { nameof(StoreOptions.PageSize), new() { PageSize = ByteSize.MiB(32) }, "fewer than" },
        { nameof(StoreOptions.SegmentSize), new() { SegmentSize = ByteSize.KiB(63) }, "64 KiB" },
        { nameof(StoreOptions.MaxPendingPerSession), new() { MaxPendingPerSession = 0 }, "from 1" },
        { nameof(StoreOptions.MaxPendingPerSession), new() { MaxPendingPerSession = 65_537 }, "65,536" },
    };

    [Theory, MemberData(nameof(OutOfRange))]
    public void An_option_out_of_range_is_refused_by_name_and_range(string option, StoreOptions options, string range)
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => MemoryPlan.For(options));
        Assert.Contains($"StoreOptions.{LogStoreOptions.NameOf(option)}", error.Message, StringComparison.Ordinal);
        Assert.Contains(range, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, 0, RecordAllocatorKind.Hybrid)]
    [InlineData(1, 1_000_000, RecordAllocatorKind.Hybrid)]
    [InlineData(64, 0, RecordAllocatorKind.AppendOnly)]
    [InlineData(64, 100_000, RecordAllocatorKind.Hybrid)]
    [InlineData(64, long.MaxValue, RecordAllocatorKind.InMemory)]
    [InlineData(100_000, 0, RecordAllocatorKind.Hybrid)]
    [InlineData(67_108_864, 0, RecordAllocatorKind.Hybrid)]
    public void The_parts_stay_within_the_budget(long mebibytes, long keys, RecordAllocatorKind allocator)
    {
        var budget = new ByteSize(mebibytes << 20);
        MemoryPlan plan = MemoryPlan.For(new() { MemoryBudget = budget, ExpectedKeys = keys, Allocator = allocator });
        long index = plan.Buckets * 64;
        long buffers = ((long)plan.FlushPart * plan.FlushParts) + plan.ReadBuffers + plan.PendingReserve;
        Assert.InRange(index, 64, plan.IndexLimit);
        Assert.Equal(budget.Bytes, index + buffers + plan.RecordBytes(index));
        Assert.InRange(plan.PageBits, 12, 25);
        if (allocator == RecordAllocatorKind.InMemory)
        {
            Assert.Equal(0, buffers);
            return;
        }

        Assert.True(plan.RecordBytes(index) >> plan.PageBits >= PagedLog.MinPages);
        Assert.Equal(0, plan.FlushPart % 4096);
    }

    [Theory]
    [InlineData(512 << 10, 64 << 10, 400)]
    [InlineData(512 << 10, 64 << 10, 0)]
    [InlineData(256 << 10, 0, 0)]
    [InlineData(1 << 20, 128 << 10, 10_000)]
    [InlineData(64 << 20, 8 << 20, 0)]
    [InlineData(64 << 20, 0, 2_000_000)]
    public void The_largest_index_leaves_the_log_enough_to_be_opened_again(long budget, long page, long keys)
    {
        var options = new StoreOptions { MemoryBudget = new(budget), PageSize = new(page), ExpectedKeys = keys };
        MemoryPlan plan = MemoryPlan.For(options);
        MemoryPlan again = MemoryPlan.ForFolder(
            options with { PageSize = new(1L << plan.PageBits) }, "folder", plan.IndexLimit / 64);
        Assert.Equal(plan.IndexLimit / 64, again.Buckets);
    }

    [Theory]
    [InlineData(8, 0, true)]
    [InlineData(16, 0, false)] // MiB of a recovered index above half of the budget
    [InlineData(12, 0.5, true)]
    public void A_loan_leaves_log_and_cache_their_least_pages(int indexMebibytes, double cached, bool lends)
    {
        var options = new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(26), PageSize = ByteSize.MiB(1), ReadCacheFraction = cached,
        };
        MemoryPlan plan = MemoryPlan.ForFolder(options, "folder", ((long)indexMebibytes << 20) / 64);
        Assert.Equal(lends, plan.LookupLoan > 0);
        long index = Math.Max(plan.IndexLimit, (long)indexMebibytes << 20);
        long left = plan.RecordBytes(index) - (options.MemoryBudget.Bytes / 12);
        if (plan.CachePageBits != 0) left -= plan.CacheFilterBytes + (4L << plan.CachePageBits);
        Assert.Equal(lends, left >= 4 << 20);
        Assert.Equal(0, MemoryPlan.For(options with { DiskBudget = ByteSize.GiB(1) }).LookupLoan);
    }

    [Theory]
    [InlineData(256 << 10, 0.75)]
    [InlineData(1 << 20, 0.9)]
    [InlineData(64 << 20, 0.5)]
    [InlineData(1L << 36, 0.75)]
    public void The_read_cache_leaves_the_log_its_least_pages(long budget, double fraction)
    {
        MemoryPlan plan = MemoryPlan.For(new() { MemoryBudget = new(budget), ReadCacheFraction = fraction });
        for (long index = plan.Buckets * 64; index <= plan.IndexLimit; index += plan.IndexLimit / 16)
        {
            long records = plan.RecordBytes(index), cache = plan.CacheBytes(records);
            Assert.True(cache + plan.CacheFilterBytes <= records * fraction, $"{cache} of {records}");
            Assert.True(records - cache - plan.CacheFilterBytes >= (long)PagedLog.MinPages << plan.PageBits);
            Assert.Equal(0, cache % (1L << plan.CachePageBits));
            Assert.True(cache >> plan.CachePageBits >= PagedLog.MinPages);
        }
    }

    [Theory]
    [InlineData(96, 8, 8, 3.5)]   // all records and the larger index find a place
    [InlineData(40, 8, 8, 5.25)]  // the records alone would
    [InlineData(96, 0, 8, 5.25)]  // of unknown size
    [InlineData(96, 8, 0, 5.25)]
    public void An_index_is_half_full_where_memory_is_not_short(
        int bytesPerKey, int keySize, int valueSize, double keysPerBucket)
    {
        const int Keys = 10_000_000;
        var options = new StoreOptions { MemoryBudget = new((long)bytesPerKey * Keys), ExpectedKeys = Keys };
        MemoryPlan plan = MemoryPlan.For(options, new RecordSchema(keySize, keySize, valueSize, "key", "value"));
        Assert.Equal(keysPerBucket, (double)Keys / plan.Buckets, 1e-3);
    }

    [Fact]
    public void A_half_full_index_leaves_the_log_its_least_pages()
    {
        var schema = new RecordSchema(8, 8, 8, "key", "value");
        for (int keys = 1_000; keys < 12_000; keys += 100)
        {
            var options = new StoreOptions
            {
                MemoryBudget = ByteSize.KiB(512), PageSize = ByteSize.KiB(64), ExpectedKeys = keys,
            };
            MemoryPlan checkedOnly;
            try
            {
                checkedOnly = MemoryPlan.For(options);
            }
            catch (ArgumentOutOfRangeException)
            {
                Assert.True(keys > 5_000);
                return; // so many keys leave no plan enough
            }

            MemoryPlan plan = MemoryPlan.For(options, schema);
            Assert.True(plan.Buckets >= checkedOnly.Buckets);
            Assert.True(plan.RecordBytes(plan.Buckets * 64) >> plan.PageBits >= PagedLog.MinPages, $"{keys}");
        }

        Assert.Fail("Every number of keys has a plan: none was at the limit.");
    }

    [Fact]
    public void There_is_no_read_cache_where_none_is_wanted_or_nothing_is_on_disk()
    {
        Assert.Equal(0, MemoryPlan.For(new() { ReadCacheFraction = 0 }).CacheBytes(1 << 20));
        Assert.Equal(0, MemoryPlan.For(new() { Allocator = RecordAllocatorKind.InMemory }).CacheBytes(1 << 20));
    }

    [Theory]
    [InlineData(12)]
    [InlineData(13)]
    public void A_page_size_that_was_chosen_is_taken(int bits) =>
        Assert.Equal(bits, MemoryPlan.For(new() { PageSize = new(1L << bits) }).PageBits);

    [Fact]
    public void Records_get_nothing_rather_than_less_than_nothing() =>
        Assert.Equal(0, MemoryPlan.For(new()).RecordBytes(long.MaxValue / 2));
}
