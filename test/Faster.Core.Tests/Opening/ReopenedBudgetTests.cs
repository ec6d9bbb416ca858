using System.Globalization;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;

namespace Faster.Tests.Opening;

/// <summary>
/// A commit of any kind is opened with any budget: with all of its state, or the error says which budget is needed, and
/// that one is enough.
/// </summary>
public sealed class ReopenedBudgetTests
{
    private static readonly int[] Budgets = [256, 300, 512, 700, 1024, 2048, 8192, 65_536];

    public static TheoryData<CommitKind, int, int> Made
    {
        get
        {
            var made = new TheoryData<CommitKind, int, int>();
            foreach (CommitKind kind in Enum.GetValues<CommitKind>())
            {
                made.Add(kind, 512, 0);
                made.Add(kind, 2048, 0);
                made.Add(kind, 2048, 100_000); // the index takes half
            }

            return made;
        }
    }

    [Theory, MemberData(nameof(Made))]
    public async Task A_commit_is_opened_with_any_budget_or_told_which_it_needs(
        CommitKind kind, int budgetKiB, int expectedKeys)
    {
        using var folder = new TemporaryFolder();
        var model = new Dictionary<int, byte[]>();
        var made = new StoreOptions { MemoryBudget = ByteSize.KiB(budgetKiB), ExpectedKeys = expectedKeys };
        await using (FasterStore store = await OpenAsync(folder, made))
        {
            await using FasterSession session = store.StartSession();
            Change(session, model, 1500, seed: 1);
            await store.CommitAsync(kind);
            Change(session, model, 3000, seed: 2);
            await store.CommitAsync(kind);
        }

        int refused = 0;
        var random = new Random(expectedKeys);
        foreach (int budget in Budgets.OrderBy(_ => random.Next()))
        {
            var options = new StoreOptions { MemoryBudget = ByteSize.KiB(budget) };
            try
            {
                await ReopenAsync(folder, options, model, kind, budget);
            }
            catch (StoreOpenException e)
            {
                refused++;
                Assert.True(budget < budgetKiB, $"{budget} KiB are refused for a store of {budgetKiB} KiB.");
                string least = e.Message.Split("MemoryBudget to ")[1].Split(" KiB")[0];
                int enough = int.Parse(least.Where(char.IsAsciiDigit).ToArray(), CultureInfo.InvariantCulture);
                Assert.InRange(enough, budget + 1, budgetKiB * 3 / 2);
                options = options with { MemoryBudget = ByteSize.KiB(enough) };
                await ReopenAsync(folder, options, model, kind, budget);
            }
        }

        Assert.True(refused < Budgets.Length - 1);
    }

    // H3: the index has grown since the records were captured, so that memory can't hold them any more.
    [Theory]
    [InlineData(CommitKind.Snapshot)]
    [InlineData(CommitKind.Incremental)]
    public async Task A_commit_beside_an_index_that_grows_is_opened_with_the_same_options(CommitKind kind)
    {
        using var folder = new TemporaryFolder();
        var model = new Dictionary<int, byte[]>();
        // An index that does not grow by itself, which would take memory from the log at any moment.
        var options = new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(8), ExpectedKeys = 4_000,
        };
        var held = new HeldWrites(new SegmentedFileDevice(folder.Path, options.SegmentSize.Bytes));
        await using (FasterStore store = await OpenAsync(folder, options with { Device = held }))
        {
            await using FasterSession session = store.StartSession();
            using IDisposable hold = held.Hold(); // what the index should take of the log's memory can't be written
            while (store.Log.BytesInMemory < 400 << 10) Change(session, model, 20, seed: 3);
            Assert.Equal(0, store.Statistics.IndexGrowths);
            // Again, if the memory has just been fitted to overflow buckets that the index has reserved: on the pool.
            do store.Log.SetMemory(store.Log.BytesInMemory / 3);
            while (store.Log.IsWithinMemory);
            await store.CommitAsync(kind);
        }

        // What a larger index leaves.
        options = options with { MemoryBudget = ByteSize.KiB(400) };
        await ReopenAsync(folder, options, model, kind, 0);
        await ReopenAsync(folder, options, model, CommitKind.FoldOver, 1);
        await ReopenAsync(folder, options, model, kind, 2);
    }

    // The running log keeps its least pages whatever the index takes, but an opening refuses to go beyond the budget.
    [Fact]
    public async Task An_index_grows_no_further_than_an_opening_with_the_same_options_allows()
    {
        using var folder = new TemporaryFolder();
        var model = new Dictionary<int, byte[]>();
        var options = new StoreOptions
        {
            MemoryBudget = ByteSize.KiB(512), PageSize = ByteSize.KiB(64), ExpectedKeys = 400, ReadCacheFraction = 0,
        };
        await using (FasterStore store = await OpenAsync(folder, options))
        {
            await using FasterSession session = store.StartSession();
            Change(session, model, 4000, seed: 4);
            while (await TryGrowAsync(store)) Assert.InRange(store.Statistics.IndexGrowths, 1, 20);
            await store.CommitAsync(CommitKind.Snapshot);
        }

        await ReopenAsync(folder, options, model, CommitKind.FoldOver, 5);
    }

    private static async Task<bool> TryGrowAsync(FasterStore store)
    {
        try
        {
            await store.GrowIndexAsync();
            return true;
        }
        catch (LimitExceededException)
        {
            return false;
        }
    }

    private static async Task ReopenAsync(
        TemporaryFolder folder, StoreOptions options, Dictionary<int, byte[]> model, CommitKind kind, int seed)
    {
        await using FasterStore store = await OpenAsync(folder, options);
        await using FasterSession session = store.StartSession();
        int found = 0;
        await foreach ((int key, byte[] value) in store.Analytics.ScanAsync(
            null, static record => (BitConverter.ToInt32(record.Key), record.Value.ToArray())))
        {
            found++;
            Assert.Equal(model[key], value);
        }

        Assert.Equal(model.Count, found);
        foreach (int key in model.Keys.Where(key => key % 7 == 0)) Assert.Equal(model[key], session.GetBytes(key));
        Change(session, model, 300, seed);
        await store.CommitAsync(kind);
    }

    private static void Change(FasterSession session, Dictionary<int, byte[]> model, int count, int seed)
    {
        var random = new Random(seed + model.Count);
        for (int i = 0; i < count; i++)
        {
            int key = random.Next(3) == 0 ? model.Count : random.Next(model.Count + 1);
            byte[] value = new byte[random.Next(16, 400)];
            random.NextBytes(value);
            session.PutBytes(key, value);
            model[key] = value;
        }
    }

    private static ValueTask<FasterStore> OpenAsync(TemporaryFolder folder, StoreOptions options) =>
        FasterStore.OpenAsync(folder.Path, options, BytesOperations.Schema, default);
}
