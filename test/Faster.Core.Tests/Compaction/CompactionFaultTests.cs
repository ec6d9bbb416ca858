using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Engines;
using Faster.Log;
using Faster.Log.Records;
using Faster.Tests.Analytics;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.Compaction;

/// <summary>
/// The n-th read or write of a compaction fails: it throws a typed exception, truncates nothing, and succeeds when it
/// is retried.
/// </summary>
public sealed class CompactionFaultTests
{
    private const long Keys = 18_000; // more than memory holds

    [Theory]
    [InlineData(FaultTarget.Read, 1)]
    [InlineData(FaultTarget.Read, 3)]
    [InlineData(FaultTarget.Write, 1)]
    [InlineData(FaultTarget.Write, 3)]
    public async Task A_fault_loses_nothing_and_the_next_attempt_succeeds(FaultTarget target, int threads)
    {
        int failures = 0, n = 1;
        var steps = new FaultSteps();
        for (bool clean = false; !clean; n = steps.After(n, n))
        {
            var device = new FaultDevice(new MemoryDevice());
            StoreOptions options = GarbageStore.Small with { Device = device, CompactionThreads = threads };
            await using FasterStore store = await GarbageStore.OpenAsync(null, options);
            using FasterSession session = store.StartSession();
            session.Fill(0, Keys);
            for (long key = 0; key < Keys; key += 3) _ = session.Remove(key);
            device.Arm(new FaultPlan
            {
                Faults = [new Fault(target, n, FaultFlavor.InputOutputError, Persistent: target == FaultTarget.Write)],
            });
            long begin = store.Statistics.BeginAddress;
            try
            {
                _ = await store.CompactAsync(store.Statistics.TailAddress);
                clean = device.Counters.Faults == 0;
            }
            catch (Exception e) when (e is StorageException or DamagedDataException)
            {
                failures++;
                Assert.Equal(begin, store.Statistics.BeginAddress);
            }

            device.Arm(FaultPlan.None);
            CompactionResult result = await store.CompactAsync(store.Statistics.TailAddress);
            Assert.True(result.BytesReclaimed > 0 || clean);
            for (long key = 0; key < Keys; key += 17)
                Assert.Equal(key % 3 == 0 ? null : key * 3, session.Get(key));
        }

        Assert.True(failures > 3, $"Only {failures} runs failed: the test shows nothing.");
    }

    /// <remarks>Steps of background tasks. A budget's first step is a quarter of the log.</remarks>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Steps_go_as_far_as_a_damaged_page_and_their_retries_write_nothing(int threads)
    {
        const int DamagedPage = 21;
        var device = new FaultDevice(new MemoryDevice());
        StoreOptions options = GarbageStore.Small with { Device = device, CompactionThreads = threads };
        await using FasterStore store = await GarbageStore.OpenAsync(null, options);
        using FasterSession session = store.StartSession();
        session.Fill(0, Keys);
        for (long key = 0; key < Keys; key += 3) _ = session.Remove(key);
        PagedLog log = store.Tier.PagedLog!;
        long stride = store.Tier.Storage!.Geometry.PageStride;
        device.Arm(new FaultPlan { BitFlips = [new BitFlip((DamagedPage * stride) + 700, 2)] });
        Task<CompactionResult> StepAsync() =>
            store.Reclamation!.Truncation.CompactStepAsync(log.PageStartOf(log.BeginAddress + (log.HeadAddress / 2)));
        DamagedDataException? damage = null;
        for (int steps = 0; damage is null; steps++)
        {
            Assert.InRange(steps, 0, 100);
            damage = (DamagedDataException?)await Record.ExceptionAsync(StepAsync);
        }

        Assert.Equal(DamagedPage, log.BeginAddress >> log.PageBits);
        long tail = log.TailAddress;
        for (int i = 0; i < 20; i++) await Assert.ThrowsAsync<DamagedDataException>(StepAsync);
        Assert.Equal((DamagedPage, tail), (log.BeginAddress >> log.PageBits, log.TailAddress));
        device.Arm(FaultPlan.None);
        for (long begin = log.BeginAddress; log.BeginAddress < begin + (log.HeadAddress / 4);) _ = await StepAsync();
        for (long key = 0; key < Keys; key += 17) Assert.Equal(key % 3 == 0 ? null : key * 3, session.Get(key));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public Task An_operation_whose_chain_is_truncated_meanwhile_is_retried(bool isUpdate, bool isShared) =>
        Guard.RunAsync(async () =>
    {
        // It waits for the disk while its record is copied to the tail and the old one is truncated.
        var held = new HeldReads(new MemoryDevice());
        await using FasterStore store = await OpenAsync(held);
        using FasterSession session = store.StartSession();
        (long key, long other) = OneChain(store);
        await FillAsync(store, session, key, isShared ? other : null);
        var outcome = new CounterOperations.Outcome();
        var read = new CounterOperations.Read(outcome);
        var add = new CounterOperations.Add(1, outcome);
        held.Hold(BlockFormat.BlockSize);
        Assert.Equal(Status.Pending, isUpdate
            ? session.Rmw(CounterOperations.Key(key), ref add)
            : session.Read(CounterOperations.Key(key), ref read));
        await held.HoldOneAsync(() => session.CompletePending(wait: false));
        _ = await store.CompactAsync(store.Statistics.HeadAddress);
        held.Release(); // below the begin by now: the device refuses
        session.CompletePending(wait: true);
        Assert.Null(outcome.Error);
        Assert.Equal(Status.Ok, outcome.Status);
        Assert.Equal(isUpdate ? 1 : key * 3, isUpdate ? session.Get(key) - (key * 3) : outcome.Value);
        if (isShared) Assert.Equal(other * 3, session.Get(other));
    });

    [Fact]
    public Task A_read_whose_record_is_truncated_meanwhile_ends_not_found() => Guard.RunAsync(async () =>
    {
        var held = new HeldReads(new MemoryDevice());
        await using FasterStore store = await OpenAsync(held);
        using FasterSession session = store.StartSession();
        await FillAsync(store, session, key: 5, other: null);
        var outcome = new CounterOperations.Outcome();
        var read = new CounterOperations.Read(outcome);
        held.Hold(BlockFormat.BlockSize);
        Assert.Equal(Status.Pending, session.Read(CounterOperations.Key(5), ref read));
        await held.HoldOneAsync(() => session.CompletePending(wait: false));
        await store.TruncateAsync(store.Statistics.HeadAddress);
        held.Release();
        session.CompletePending(wait: true);
        Assert.Null(outcome.Error);
        Assert.Equal(Status.NotFound, outcome.Status);
    });

    private static Task<FasterStore> OpenAsync(Device device) => GarbageStore.OpenAsync(
        null, GarbageStore.Small with { Device = device, ReadCacheFraction = 0 });

    // Alone in the first block: only the operation under test reads it.
    private static async Task FillAsync(FasterStore store, FasterSession session, long key, long? other)
    {
        session.Put(key, key * 3);
        _ = await store.ShiftReadOnlyAsync();
        if (other is not null) session.Put(other.Value, other.Value * 3);
        session.Fill(-Keys, 0);
    }

    // Two keys of one chain, whatever the seed of the hash: the newer record is read on the way to the older one.
    private static (long Key, long Other) OneChain(FasterStore store)
    {
        var seen = new Dictionary<(uint, long), long>();
        for (long key = 0; ; key++)
        {
            ulong hash = CounterOperations.Key(key).Hash(store.Tier.Seed);
            (uint, long) chain = (HashBits.TagOf(hash), HashBits.BucketOf(hash, store.Index.MaxBuckets));
            if (!seen.TryAdd(chain, key)) return (seen[chain], key);
        }
    }
}
