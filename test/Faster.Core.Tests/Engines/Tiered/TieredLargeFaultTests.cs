using Faster.Contracts;
using Faster.Devices;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;
using Xunit.Abstractions;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// The n-th read or write of a log fails while values larger than a page move. No value is lost or torn, nothing stays
/// pinned or registered, and the next compaction succeeds.
/// </summary>
public sealed class TieredLargeFaultTests(ITestOutputHelper output)
{
    private const int Keys = 80;

    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), ColdFraction = 0.5, PageSize = new ByteSize(Page), ReadCacheFraction = 0,
        HotLogSize = ByteSize.MiB(64), ExpectedColdKeys = 1_000, ExpectedHotKeys = 1_000,
    };

    [Theory]
    [InlineData(true, FaultTarget.Read, false, 1)]
    [InlineData(true, FaultTarget.Read, true, 2)]
    [InlineData(false, FaultTarget.Read, false, 2)]
    [InlineData(false, FaultTarget.Write, false, 1)]
    [InlineData(false, FaultTarget.Write, true, 2)]
    public async Task A_move_that_fails_leaves_all_as_it_was(bool hot, FaultTarget target, bool persistent, int threads)
    {
        int runs = 0, failures = 0;
        var steps = new FaultSteps();
        for (int n = 1; ; n = steps.After(n, 2 * n))
        {
            var devices = new FaultDevice[] { new(new MemoryDevice()), new(new MemoryDevice()) };
            await using TieredStore store = await TieredStore.OpenAsync(
                null, Small with { HotDevice = devices[0], ColdDevice = devices[1], CompactionThreads = threads },
                BytesOperations.Schema, CancellationToken.None);
            using TieredSession session = store.StartSession();
            var model = new Dictionary<int, byte[]>();
            var random = new Random(n);
            Change(session, model, random, 160);
            _ = await store.CompactHotAsync(AboutHalf(store.Hot.Log));
            FaultDevice device = devices[hot ? 0 : 1];
            device.Arm(new FaultPlan { Faults = [new Fault(target, n, FaultFlavor.InputOutputError, persistent)] });
            for (int i = 0; i < 3; i++)
            {
                if (!await TryAsync(store.CompactHotAsync(AboutHalf(store.Hot.Log)))) failures++;
                if (!await TryAsync(store.CompactColdAsync(store.Cold.Log.HeadAddress))) failures++;
            }

            bool clean = device.Counters.Faults == 0;
            device.Arm(FaultPlan.None);
            await CheckAsync(store, session, model);
            Change(session, model, random, 20);
            _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
            await CheckAsync(store, session, model);
            runs++;
            if (clean) break;
        }

        output.WriteLine($"{runs} runs, {failures} compactions failed");
        Assert.True(runs > 3, "Hardly any I/O: the test shows nothing.");
    }

    private static void Change(TieredSession session, Dictionary<int, byte[]> model, Random random, int times)
    {
        for (int i = 0; i < times; i++)
        {
            int key = random.Next(Keys);
            if (i % 9 == 0) session.Change(model, Keys, random);
            else session.PutBytes(key, model[key] = Value(random.Next(5_000, 20_000), i));
        }
    }

    private static long AboutHalf(RecordAllocator log) => log.BeginAddress + ((log.TailAddress - log.BeginAddress) / 2);

    private static async Task<bool> TryAsync(Task<CompactionResult> compaction)
    {
        try
        {
            _ = await compaction.WaitAsync(TestBudget.StallTimeout);
            return true;
        }
        catch (StorageException)
        {
            return false;
        }
    }

    private static async Task CheckAsync(TieredStore store, TieredSession session, Dictionary<int, byte[]> model)
    {
        for (int key = 0; key < Keys; key++)
        {
            byte[]? found = session.GetBytes(key), expected = model.GetValueOrDefault(key);
            Assert.True(expected is null ? found is null : expected.AsSpan().SequenceEqual(found), $"Key {key}");
        }

        int live = 0;
        await foreach (int key in store.Analytics.ScanAsync(
            null, static record => BitConverter.ToInt32(record.Key)))
        {
            Assert.True(model.ContainsKey(key));
            live++;
        }

        Assert.Equal(model.Count, live);
        foreach (PagedLog log in (PagedLog[])[store.Hot.PagedLog!, store.Cold.PagedLog!])
            Assert.Equal((long.MaxValue, 0), (log.Pins.LowestPinned, log.Writes.Count));
    }
}
