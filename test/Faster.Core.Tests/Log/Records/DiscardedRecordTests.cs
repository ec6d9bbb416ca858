using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Log;
using Faster.Log.Records;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Log.Records;

/// <summary>Operations whose records are on disk take the newest record that a commit covers.</summary>
public sealed class DiscardedRecordTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_walk_on_disk_steps_over_an_abandoned_record(bool hasOlder)
    {
        var options = new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(1), Device = new MemoryDevice(),
            ReadCacheFraction = 0, // discarded ranges are known before anything is read, except here
        };
        await using FasterStore store = await FasterStore.OpenAsync(null, options, CounterOperations.Schema, default);
        using FasterSession session = store.StartSession();
        if (hasOlder) session.Put(1, 10);
        for (long key = 1000; key < 60_000; key++) session.Put(key, key); // the first is read-only by then
        session.Put(1, 20);
        for (long key = 60_000; key < 120_000; key++) session.Put(key, key);
        Assert.Equal(20, session.Get(1));

        LogStorage storage = store.Tier.Storage!;
        long address = AddressOf(store, key: 1, value: 20);
        Assert.True(address < store.Statistics.HeadAddress);
        byte code = RecordHeader.CodeOf(RecordHeader.FirstVersion);
        storage.Restore(storage.Incarnations, [new DiscardedRange(address, address + 24, (byte)(code + 1))]);
        Assert.Equal(20, session.Get(1)); // another version's
        storage.Restore(storage.Incarnations, [new DiscardedRange(address, address + 24, code)]);
        Assert.Equal(hasOlder ? 10 : null, session.Get(1));
    }

    private static long AddressOf(FasterStore store, long key, long value)
    {
        using LogScan scan = store.ScanLog();
        while (scan.MoveNext())
        {
            if (BitConverter.ToInt64(scan.Key) == key && BitConverter.ToInt64(scan.Value) == value)
                return scan.Address;
        }

        throw new InvalidOperationException("The record is not in the log.");
    }
}
