using System.Reflection;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>Each option with each form of store: honored, or refused by a message that names both; never ignored.
/// </summary>
public sealed class OptionMatrixTests
{
    private static readonly StoreOptions Default = new();

    // A value that is not the default, and the forms that honor it.
    private static readonly Dictionary<string, (Func<StoreOptions, StoreOptions> Set, Func<Form, bool> IsHonored)> All =
        new()
        {
            [nameof(StoreOptions.MemoryBudget)] = (o => o with { MemoryBudget = ByteSize.MiB(2) }, _ => true),
            [nameof(StoreOptions.ExpectedKeys)] = (o => o with { ExpectedKeys = 100 }, _ => true),
            [nameof(StoreOptions.PopulateMemory)] = (o => o with { PopulateMemory = true }, _ => true),
            [nameof(StoreOptions.Allocator)] = (o => o, _ => true), // a form
            [nameof(StoreOptions.Device)] = (o => o, _ => true),    // a form
            [nameof(StoreOptions.TimeProvider)] = (o => o with { TimeProvider = new ManualTime() }, _ => true),
            [nameof(StoreOptions.TimeToLive)] = (o => o with { TimeToLive = TimeSpan.FromHours(1) }, _ => true),
            [nameof(StoreOptions.CloseTimeout)] =
                (o => o with { CloseTimeout = TimeSpan.FromSeconds(9) }, _ => true),
            [nameof(StoreOptions.CommitOnDispose)] = (o => o with { CommitOnDispose = false }, _ => true),
            [nameof(StoreOptions.MutableFraction)] =
                (o => o with { MutableFraction = 0.5 }, f => f.Allocator == RecordAllocatorKind.Hybrid),
            [nameof(StoreOptions.ReadCacheFraction)] = (o => o with { ReadCacheFraction = 0.5 }, f => f.HasLog),
            [nameof(StoreOptions.PageSize)] = (o => o with { PageSize = ByteSize.KiB(8) }, f => f.HasLog),
            [nameof(StoreOptions.DiskBudget)] = (o => o with { DiskBudget = ByteSize.MiB(2) }, f => f.HasLog),
            [nameof(StoreOptions.CompactionThreads)] = (o => o with { CompactionThreads = 3 }, f => f.HasLog),
            [nameof(StoreOptions.MaxPendingPerSession)] = (o => o with { MaxPendingPerSession = 7 }, f => f.HasLog),
            [nameof(StoreOptions.SegmentSize)] = (o => o with { SegmentSize = ByteSize.KiB(64) }, f => f.Commits),
            [nameof(StoreOptions.UnbufferedIO)] = (o => o with { UnbufferedIO = false }, f => f.HasFiles),
            [nameof(StoreOptions.IOMode)] = (o => o with { IOMode = IOMode.RandomAccess }, f => f.HasFiles),
            [nameof(StoreOptions.CommitKind)] = (o => o with { CommitKind = CommitKind.Snapshot }, f => f.Commits),
            [nameof(StoreOptions.PendingOrder)] =
                (o => o with { PendingOrder = PendingOrder.Relaxed }, f => f.Commits),
            [nameof(StoreOptions.CommitEvery)] =
                (o => o with { CommitEvery = TimeSpan.FromMinutes(1) }, f => f.Commits),
            [nameof(StoreOptions.CommitEveryBytes)] =
                (o => o with { CommitEveryBytes = ByteSize.MiB(1) }, f => f.Commits),
            [nameof(StoreOptions.IndexCheckpointEveryBytes)] =
                (o => o with { IndexCheckpointEveryBytes = ByteSize.MiB(1) }, f => f.Commits),
            [nameof(StoreOptions.Durability)] =
                (o => o with { Durability = Durability.EachOperation }, f => f.Commits),
            [nameof(StoreOptions.ReadsAwaitDurability)] = (
                o => o with { Durability = Durability.EachOperation, ReadsAwaitDurability = true }, f => f.Commits),
            [nameof(StoreOptions.OperationLogSize)] = (
                o => o with { Durability = Durability.EachOperation, OperationLogSize = ByteSize.KiB(64) },
                f => f.Commits),
            [nameof(StoreOptions.AllowClockRollback)] = (o => o with { AllowClockRollback = true }, f => f.Commits),
            [nameof(StoreOptions.AllowOlderCommit)] = (o => o with { AllowOlderCommit = true }, f => f.Commits),
        };

    public static TheoryData<string> Names => [.. Properties.Select(static property => property.Name)];

    private static IEnumerable<PropertyInfo> Properties =>
        new[] { typeof(StoreOptions), typeof(LogStoreOptions.ExpertOptions) }
            .SelectMany(type => type.GetProperties(BindingFlags.Public | BindingFlags.Instance))
            .Where(property => property.Name != nameof(StoreOptions.Expert));

    [Theory, MemberData(nameof(Names))]
    public async Task An_option_is_honored_or_refused_by_name(string name)
    {
        Assert.True(All.TryGetValue(name, out var option), $"Say which stores honor StoreOptions.{name}.");
        foreach (Form form in Forms)
        {
            using var folder = new TemporaryFolder();
            using var device = new MemoryDevice();
            StoreOptions options = option.Set(form.Options(device));
            bool isSet = !Equals(Value(name, options), Value(name, Default));
            if (form.IsPossible && (!isSet || option.IsHonored(form)))
            {
                await using FasterStore store = await Open(form.Path(folder), options);
                Assert.Equal(Value(name, options), Value(name, store.Options));
                continue;
            }

            var error = await Assert.ThrowsAsync<StoreOpenException>(() => Open(form.Path(folder), options));
            string full = "StoreOptions." + LogStoreOptions.NameOf(name);
            if (form.IsPossible) Assert.Contains(full, error.Message, StringComparison.Ordinal);
            Assert.Contains(form.Reason, error.Message, StringComparison.Ordinal);
            Assert.False(Directory.Exists(folder.Path));
        }
    }

    [Fact]
    public async Task A_folder_with_commits_is_not_opened_as_an_empty_store_in_memory()
    {
        using var folder = new TemporaryFolder();
        await using (FasterStore store = await Open(folder.Path, new() { MemoryBudget = ByteSize.MiB(1) }))
        {
            using FasterSession session = store.StartSession();
            session.Put(1, 2);
            await store.CommitAsync();
        }

        var inMemory = new StoreOptions { Allocator = RecordAllocatorKind.InMemory };
        await Assert.ThrowsAsync<StoreOpenException>(() => Open(folder.Path, inMemory));
        await Assert.ThrowsAsync<StoreOpenException>(() => FasterStore.RecoverAsync(
            folder.Path, inMemory, CounterOperations.Schema, null, default).AsTask());
    }

    private static IEnumerable<Form> Forms =>
        from allocator in Enum.GetValues<RecordAllocatorKind>()
        from inFolder in new[] { true, false }
        from hasDevice in new[] { true, false }
        select new Form(allocator, inFolder, hasDevice);

    private static object? Value(string name, StoreOptions options) =>
        typeof(StoreOptions).GetProperty(name, BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance)!
            .GetValue(options);

    private static Task<FasterStore> Open(string? folder, StoreOptions options) =>
        FasterStore.OpenAsync(folder, options, CounterOperations.Schema, default).AsTask();

    private sealed record Form(RecordAllocatorKind Allocator, bool InFolder, bool HasDevice)
    {
        public bool HasLog => Allocator != RecordAllocatorKind.InMemory;

        public bool IsPossible => HasLog || (!InFolder && !HasDevice);

        public bool Commits => HasLog && InFolder;

        public bool HasFiles => Commits && !HasDevice;

        // What the message names beside the option: which of the others keeps it from being honored.
        public string Reason => !HasLog ? "InMemory" : HasDevice || InFolder || Allocator != RecordAllocatorKind.Hybrid
            ? "" : "path";

        public StoreOptions Options(Device device) => new()
        {
            MemoryBudget = ByteSize.MiB(1), Allocator = Allocator, Device = HasDevice ? device : null,
        };

        public string? Path(TemporaryFolder folder) => InFolder ? folder.Path : null;
    }
}
