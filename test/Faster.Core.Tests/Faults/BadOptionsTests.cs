using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>Every option out of its range is refused before anything is made, by a message that names it.</summary>
public sealed class BadOptionsTests
{
    private static readonly ByteSize Least = StoreOptions.MinMemoryBudget;
    private static readonly StoreOptions Good = new() { MemoryBudget = ByteSize.MiB(1) };

    public static TheoryData<string, StoreOptions> Bad => new()
    {
        { nameof(StoreOptions.MemoryBudget), Good with { MemoryBudget = default } },
        { nameof(StoreOptions.MemoryBudget), Good with { MemoryBudget = new ByteSize(-1) } },
        { nameof(StoreOptions.MemoryBudget), Good with { MemoryBudget = new ByteSize(Least.Bytes - 1) } },
        { nameof(StoreOptions.MemoryBudget), Good with { MemoryBudget = new ByteSize(long.MaxValue) } },
        { nameof(StoreOptions.ExpectedKeys), Good with { ExpectedKeys = -1 } },
        { nameof(StoreOptions.Allocator), Good with { Allocator = (RecordAllocatorKind)3 } },
        { nameof(StoreOptions.Allocator), Good with { Allocator = (RecordAllocatorKind)(-1) } },
        { nameof(StoreOptions.CommitKind), Good with { CommitKind = (CommitKind)3 } },
        { nameof(StoreOptions.PendingOrder), Good with { PendingOrder = (PendingOrder)2 } },
        { nameof(StoreOptions.CommitEvery), Good with { CommitEvery = TimeSpan.FromTicks(-1) } },
        { nameof(StoreOptions.CommitEvery), Good with { CommitEvery = TimeSpan.MaxValue } },
        { nameof(StoreOptions.CommitEveryBytes), Good with { CommitEveryBytes = new ByteSize(-1) } },
        { nameof(StoreOptions.IndexCheckpointEveryBytes), Good with { IndexCheckpointEveryBytes = new ByteSize(-1) } },
        { nameof(StoreOptions.MutableFraction), Good with { MutableFraction = 0 } },
        { nameof(StoreOptions.MutableFraction), Good with { MutableFraction = 1.001 } },
        { nameof(StoreOptions.MutableFraction), Good with { MutableFraction = -0.5 } },
        { nameof(StoreOptions.MutableFraction), Good with { MutableFraction = double.NaN } },
        { nameof(StoreOptions.PageSize), Good with { PageSize = new ByteSize(2048) } },
        { nameof(StoreOptions.PageSize), Good with { PageSize = new ByteSize(5000) } },
        { nameof(StoreOptions.PageSize), Good with { PageSize = new ByteSize(-4096) } },
        { nameof(StoreOptions.PageSize), Good with { PageSize = ByteSize.MiB(64) } },
        { nameof(StoreOptions.PageSize), Good with { PageSize = ByteSize.MiB(1) } }, // no four pages in the budget
        { nameof(StoreOptions.SegmentSize), Good with { SegmentSize = default } },
        { nameof(StoreOptions.SegmentSize), Good with { SegmentSize = new ByteSize(-1) } },
        { nameof(StoreOptions.MaxPendingPerSession), Good with { MaxPendingPerSession = 0 } },
        { nameof(StoreOptions.MaxPendingPerSession), Good with { MaxPendingPerSession = -1 } },
        { nameof(StoreOptions.MaxPendingPerSession), Good with { MaxPendingPerSession = 65_537 } },
    };

    [Theory, MemberData(nameof(Bad))]
    public async Task An_option_out_of_range_is_named(string option, StoreOptions options)
    {
        using var folder = new TemporaryFolder();
        var error = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Open(folder.Path, options));
        Assert.Contains("StoreOptions." + LogStoreOptions.NameOf(option), error.Message, StringComparison.Ordinal);
        Assert.Equal("options", error.ParamName);
        Assert.False(Directory.Exists(folder.Path));
    }

    public static TheoryData<StoreOptions> Extreme => new()
    {
        Good with { ExpectedKeys = long.MaxValue },
        Good with { MemoryBudget = Least },
        Good with { MaxPendingPerSession = 1 },
        Good with { MaxPendingPerSession = 65_536 },
        Good with { MutableFraction = 1 },
        Good with { MutableFraction = double.Epsilon },
        Good with { PageSize = ByteSize.KiB(4) },
        Good with { MemoryBudget = ByteSize.MiB(256), PageSize = ByteSize.MiB(32) },
        Good with { Allocator = RecordAllocatorKind.AppendOnly },
        Good with { Allocator = RecordAllocatorKind.InMemory },
    };

    public static TheoryData<StoreOptions> ExtremeOnFiles => new()
    {
        Good with { SegmentSize = new ByteSize(long.MaxValue) },
        Good with { PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64) },
    };

    [Theory, MemberData(nameof(ExtremeOnFiles))]
    public async Task An_option_of_files_at_its_limit_works(StoreOptions options)
    {
        using var folder = new TemporaryFolder();
        await WorksAsync(folder.Path, options);
    }

    [Theory, MemberData(nameof(Extreme))]
    public Task An_option_at_its_limit_works(StoreOptions options) => WorksAsync(null, options);

    private static Task WorksAsync(string? folder, StoreOptions options) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open(folder, options);
        await using FasterSession session = store.StartSession();
        const int keys = 10_000;
        for (int key = 0; key < keys; key++) session.Put(key, key);
        for (int key = 0; key < keys; key++) session.AddTo(key, 1);
        for (int key = 0; key < keys; key++) Assert.Equal(key + 1, session.Get(key));
    });

    [Fact]
    public async Task A_budget_that_the_system_can_not_give_is_a_typed_error()
    {
        StoreOptions absurd = Good with { MemoryBudget = ByteSize.GiB(1 << 16) };
        var error = await Assert.ThrowsAsync<StoreOpenException>(() => Open(null, absurd));
        Assert.Contains("MemoryBudget is " + absurd.MemoryBudget, error.Message, StringComparison.Ordinal);
    }

    private static Task<FasterStore> Open(string? folder, StoreOptions options) =>
        FasterStore.OpenAsync(folder, options, CounterOperations.Schema, default).AsTask();
}
