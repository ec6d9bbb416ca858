using Faster.Contracts;
using Faster.Devices;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Testing;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// A block of a tier's log stays damaged: what lies before it is compacted, retries write nothing, and it is reported.
/// </summary>
public sealed class TieredDamageTests
{
    private const int DamagedPage = 9, HotPages = 600; // more than memory holds

    private static readonly TieredOptions Options = new()
    {
        MemoryBudget = ByteSize.MiB(2), ColdFraction = 0.5, PageSize = ByteSize.KiB(4),
        HotLogSize = ByteSize.KiB(4 * HotPages), ReadCacheFraction = 0, ExpectedColdKeys = 10_000,
    };

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public Task A_damaged_block_of_the_hot_log_of_an_idle_store_is_not_moved_around(int threads) =>
        Guard.RunAsync(async () =>
    {
        var device = new FaultDevice(new MemoryDevice(), Damaged);
        await using TieredStore store =
            await OpenAsync(Options with { CompactionThreads = threads, HotDevice = device });
        using var faults = new SemaphoreSlim(0);
        store.FaultOccurred += (_, fault) =>
        {
            Assert.IsType<DamagedDataException>(fault.Fault);
            faults.Release();
        };
        using TieredSession session = store.StartSession();
        PagedLog hot = store.Hot.PagedLog!;
        long keys = 0;
        for (; hot.TailAddress < (HotPages + DamagedPage + 5L) << hot.PageBits; keys++) session.Put(keys, keys);
        await faults.WaitAsync();
        Assert.Equal(DamagedPage, hot.BeginAddress >> hot.PageBits);
        (long tail, long chunks) = (store.Cold.Log.TailAddress, store.ColdIndex.Log.Appended);
        Assert.True(store.Statistics.RecordsMoved > 0, "Nothing has moved.");
        for (int i = 0; i < 3; i++) await faults.WaitAsync();
        Assert.Equal((tail, chunks), (store.Cold.Log.TailAddress, store.ColdIndex.Log.Appended));
        Assert.Equal(DamagedPage, hot.BeginAddress >> hot.PageBits);
        int damaged = 0;
        for (long key = 0; key < keys; key++) if (!IsThere(session, key)) damaged++;
        Assert.InRange(damaged, 15, 50); // those of a block

        device.Arm(FaultPlan.None);
        await hot.Gate.WaitForAsync(() => hot.BeginAddress >> hot.PageBits > DamagedPage, CancellationToken.None);
        for (long key = 0; key < keys; key += 7) Assert.Equal(key, Get(session, key));
    });

    [Fact]
    public Task A_damaged_block_of_the_cold_log_holds_up_neither_writers_nor_moves_and_is_reported() =>
        Guard.RunAsync(async () =>
    {
        var device = new FaultDevice(new MemoryDevice(), Damaged);
        await using TieredStore store =
            await OpenAsync(Options with
            {
                HotLogSize = ByteSize.KiB(400), DiskBudget = ByteSize.MiB(8), ColdDevice = device,
            });
        int others = 0;
        store.FaultOccurred += (_, fault) => others += fault.Fault is DamagedDataException ? 0 : 1;
        using TieredSession session = store.StartSession();
        PagedLog cold = store.Cold.PagedLog!;
        for (long i = 0; !store.Statistics.DiskBudgetExceeded; i++) session.Put(i % 50_000, i);
        Assert.Equal(DamagedPage, cold.BeginAddress >> cold.PageBits);
        Assert.IsType<DamagedDataException>(store.Core.Faults.Last);
        long moved = store.Statistics.HotCompactions;
        for (long i = 0; store.Statistics.HotCompactions < moved + 3; i++) session.Put(i % 50_000, i);
        Assert.Equal(DamagedPage, cold.BeginAddress >> cold.PageBits);

        device.Arm(FaultPlan.None);
        while (store.Statistics.DiskBudgetExceeded)
            for (long key = 0; key < 50_000; key++) session.Put(key, key);
        Assert.True(cold.BeginAddress >> cold.PageBits > DamagedPage);
        Assert.Equal(0, others);
    });

    private static FaultPlan Damaged => new() { BitFlips = [new BitFlip((DamagedPage * 8192) + 700, 2)] };

    private static ValueTask<TieredStore> OpenAsync(TieredOptions options) =>
        TieredStore.OpenAsync(null, options, Schema, CancellationToken.None);

    private static long? Get(TieredSession session, long key)
    {
        (Status status, long value) = ReadToEnd(session, key);
        return status == Status.Ok ? value : null;
    }

    private static bool IsThere(TieredSession session, long key)
    {
        try
        {
            Assert.Equal(key, Get(session, key));
            return true;
        }
        catch (DamagedDataException)
        {
            return false;
        }
    }
}
