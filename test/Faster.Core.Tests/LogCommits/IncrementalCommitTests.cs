using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Engines;
using Faster.Log;
using Faster.Operations.Waiting;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;

namespace Faster.Tests.LogCommits;

/// <summary>
/// Incremental commits beside a flush that ends in the middle of a page, and so within a record: what each one holds is
/// what the model says, by a scan as of it and after reopening.
/// </summary>
public sealed class IncrementalCommitTests
{
    private const int CommitsOfALife = 20;

    /// <summary>Memory budget and page size in KiB, and how many writes a second the device takes.</summary>
    public static TheoryData<int, int, int> Shapes
    {
        get
        {
            var shapes = new TheoryData<int, int, int> { { 1 << 10, 32, 2000 }, { 1 << 10, 32, 200 } };
            if (TestBudget.Factor >= 10) shapes.Add(64 << 10, 2048, 200); // takes seconds
            return shapes;
        }
    }

    [Fact]
    public async Task A_commit_beside_a_page_that_is_flushed_in_part_holds_what_has_changed()
    {
        using var folder = new TemporaryFolder();
        var random = new Random(1);
        var model = new Dictionary<int, byte[]>();
        var held = new HeldWrites(new SegmentedFileDevice(folder.Path, new StoreOptions().SegmentSize.Bytes));
        await using (FasterStore store = await OpenAsync(folder, 1 << 10, 32, held))
        {
            await using FasterSession session = store.StartSession();
            for (int key = 0; key < 1500; key++) Put(session, model, random, key);
            await store.CommitAsync(CommitKind.Snapshot);
            for (int key = 0; key < 1500; key++) Put(session, model, random, key);
            int stride = new BlockGeometry(pageBits: 15).PageStride;
            using IDisposable hold = held.Hold(write => write.Offset % stride != 0);
            var log = (PagedLog)store.Log;
            long frozen = log.ShiftReadOnlyToTail();
            await log.Gate.WaitForAsync(() => log.FlushedUntilAddress > 0, default).WaitAsync(TestBudget.StallTimeout);
            Assert.True(log.FlushedUntilAddress < log.PageSize && frozen > log.PageSize);
            Commit commit = await store.CommitAsync(CommitKind.Incremental);
            Assert.Equal(CommitKind.Incremental, commit.Kind);
            await AssertHoldsAsync(store, commit, model);
        }

        await using FasterStore again = await OpenAsync(folder, 1 << 10, 32);
        await AssertHoldsAsync(again, null, model);
    }

    [Theory, MemberData(nameof(Shapes))]
    public async Task Every_commit_of_a_row_holds_what_the_model_says(int budgetKiB, int pageKiB, int writesPerSecond)
    {
        int left = TestBudget.Times(5), increments = 0, inPart = 0;
        for (int life = 0; left > 0; life++)
        {
            using var folder = new TemporaryFolder();
            var run = new Run(new Random(life), budgetKiB);
            int commits = Math.Min(left, CommitsOfALife);
            var device = new SlowWrites(
                new SegmentedFileDevice(folder.Path, new StoreOptions().SegmentSize.Bytes), writesPerSecond);
            await using (FasterStore store = await OpenAsync(folder, budgetKiB, pageKiB, device))
            {
                await using FasterSession session = store.StartSession();
                await run.FillAsync(store, session);
                for (int i = 0; i < commits; i++)
                {
                    run.Work(session);
                    Commit commit = await store.CommitAsync(CommitKind.Incremental);
                    long flushed = store.Analytics.Source.Commits.Newest!.FlushedUntil;
                    if (commit.Kind == CommitKind.Incremental) increments++;
                    if (flushed % (pageKiB << 10) != 0) inPart++;
                    await AssertHoldsAsync(store, commit, run.Model);
                }
            }

            await using FasterStore again = await OpenAsync(folder, budgetKiB, pageKiB);
            await AssertHoldsAsync(again, null, run.Model);
            left -= commits;
        }

        Assert.True(increments > 0, "No commit was an increment: the test shows nothing.");
        Assert.True(inPart > 0 || TestBudget.Factor < 10, "No page was flushed in part at any commit.");
        Console.WriteLine(
            $"{budgetKiB} KiB, {writesPerSecond} writes/s: {increments} increments, {inPart} on a part of a page.");
    }

    private static ValueTask<FasterStore> OpenAsync(
        TemporaryFolder folder, int budgetKiB, int pageKiB, Device? device = null) =>
        FasterStore.OpenAsync(
            folder.Path,
            new StoreOptions
            {
                MemoryBudget = ByteSize.KiB(budgetKiB), PageSize = ByteSize.KiB(pageKiB), Device = device,
            },
            BytesOperations.Schema,
            default);

    // Of each size a record may have; words as doubles are, which look like headers.
    private static void Put(FasterSession session, Dictionary<int, byte[]> model, Random random, int key)
    {
        byte[] value = model.TryGetValue(key, out byte[]? old) ? (byte[])old.Clone() : new byte[random.Next(2, 30) * 8];
        for (int at = 0; at < value.Length; at += 8)
            BitConverter.TryWriteBytes(value.AsSpan(at), 20 + (random.NextDouble() * 5000));
        session.PutBytes(key, value);
        model[key] = value;
    }

    private static async Task AssertHoldsAsync(FasterStore store, Commit? commit, Dictionary<int, byte[]> model)
    {
        int found = 0;
        var options = new ScanOptions { AsOf = commit };
        await foreach ((int key, byte[] value) in store.Analytics.ScanAsync(
            options, static record => (BitConverter.ToInt32(record.Key), record.Value.ToArray())))
        {
            found++;
            Assert.True(model[key].AsSpan().SequenceEqual(value), $"Key {key} has another value, {commit?.Version}.");
        }

        Assert.Equal(model.Count, found);
    }

    private sealed class Run(Random random, int budgetKiB)
    {
        private readonly int _scale = budgetKiB >> 10;

        public Dictionary<int, byte[]> Model { get; } = [];

        // As much as memory holds, so that the log is flushed as it grows.
        public async Task FillAsync(FasterStore store, FasterSession session)
        {
            while (((PagedLog)store.Log).FlushedUntilAddress == 0) Put(session, Model, random, Model.Count);
            await store.CommitAsync(CommitKind.Snapshot);
        }

        public void Work(FasterSession session)
        {
            int window = Math.Min(Model.Count, 3000 * _scale), first = Model.Count - window;
            for (int i = random.Next(2000); i > 0; i--) Put(session, Model, random, first + random.Next(window));
            for (int i = random.Next(1000); i > 0; i--) Put(session, Model, random, Model.Count);
        }
    }
}
