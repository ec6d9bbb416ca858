using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;
using Result = Faster.Tests.Operations.CounterOperations.Outcome;

namespace Faster.Tests.Engines.Tiered;

/// <summary>Operations on a tiered store while its records move from the hot to the cold tier.</summary>
public sealed class TieredStoreTests
{
    private const int Keys = 40_000, Steps = 150_000;

    [Theory]
    [InlineData(0.75)]
    [InlineData(0)]
    public async Task Operations_agree_with_a_model_while_records_move(double cacheFraction)
    {
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(512), ReadCacheFraction = cacheFraction,
            ExpectedColdKeys = 10_000,
        };
        await using var store = new TieredStore(TieredPlan.For(options, Schema));
        using TieredSession session = store.StartSession();
        var model = new Dictionary<long, long>();
        var random = new Random(20261124);
        for (int step = 0; step < Steps; step++)
        {
            long key = random.Next(Keys);
            var name = new UnmanagedKey<long>(key);
            switch (random.Next(8))
            {
                case 0:
                    var delete = default(Delete);
                    _ = session.Delete(name, ref delete);
                    model.Remove(key);
                    break;
                case 1 or 2:
                    var upsert = new Upsert(step);
                    _ = session.Upsert(name, ref upsert);
                    model[key] = step;
                    break;
                case 3 or 4 or 5:
                    var add = new Add(3, null);
                    if (session.Rmw(name, ref add) == Status.Pending) session.CompletePending(wait: true);
                    model[key] = model.GetValueOrDefault(key) + 3;
                    break;
                default:
                    Check(session, key, model);
                    break;
            }

            if (step % 50_000 == 49_999) _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
        }

        Assert.True(store.Hot.Log.BeginAddress > ByteSize.KiB(512).Bytes, "the hot log was truncated");
        Assert.True(store.Cold.Log.BeginAddress > PagedLog.FirstAddress, "and the cold log");
        Assert.True(store.IndexCompactor.Runs > 0, "and the log of the cold index");
        for (long key = 0; key < Keys; key++) Check(session, key, model);
        Assert.Null(store.Core.Faults.Last);
    }

    [Fact]
    public async Task Threads_that_add_while_records_move_lose_nothing()
    {
        const int Threads = 3, Rounds = 40_000, Counters = 15_000;
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(128), ExpectedColdKeys = 10_000,
        };
        await using var store = new TieredStore(TieredPlan.For(options, Schema));
        long[] expected = new long[Counters];
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Guard.RunAsync(() =>
        {
            using TieredSession session = store.StartSession();
            var random = new Random(thread);
            for (int i = 0; i < Rounds; i++)
            {
                long key = (long)(Math.Pow(random.NextDouble(), 3) * Counters);
                var add = new Add(1, null);
                _ = session.Rmw(new UnmanagedKey<long>(key), ref add);
                Interlocked.Increment(ref expected[key]);
                if (thread == 0 && i % 4_000 == 0)
                    store.CompactColdAsync(store.Cold.Log.HeadAddress).GetAwaiter().GetResult();
            }

            session.CompletePending(wait: true);
        })));
        using TieredSession reader = store.StartSession();
        var model = Enumerable.Range(0, Counters).Where(key => expected[key] != 0)
            .ToDictionary(static key => (long)key, key => expected[key]);
        for (long key = 0; key < Counters; key++) Check(reader, key, model);
        Assert.True(store.Hot.Log.BeginAddress > PagedLog.FirstAddress, "records have moved");
        Assert.Null(store.Core.Faults.Last);
    }

    [Fact]
    public async Task A_cold_record_that_is_read_twice_is_read_from_disk_once()
    {
        var options = new TieredOptions { MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(512) };
        await using var store = new TieredStore(TieredPlan.For(options, Schema));
        using TieredSession session = store.StartSession();
        for (long key = 0; key < Keys; key++)
        {
            var upsert = new Upsert(key);
            _ = session.Upsert(new UnmanagedKey<long>(key), ref upsert);
        }

        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        TieredStatistics before = store.Statistics;
        for (long key = 0; key < 100; key++)
        {
            var first = new Result();
            var read = new Read(first);
            Assert.Equal(Status.Pending, session.Read(new UnmanagedKey<long>(key), ref read));
            session.CompletePending(wait: true);
            Assert.Equal((Status.Ok, key), (first.Status, first.Value));
            read = new Read(null);
            Assert.Equal(Status.Ok, session.Read(new UnmanagedKey<long>(key), ref read));
            Assert.Equal(key, read.Value);
            var add = new Add(1, null);
            Assert.Equal(Status.Ok, session.Rmw(new UnmanagedKey<long>(key), ref add));
            Assert.Equal(Status.Ok, session.Read(new UnmanagedKey<long>(key), ref read));
            Assert.Equal(key + 1, read.Value);
        }

        const int Least = 3 * sizeof(long); // of a record
        Assert.True(before.BytesWritten >= Keys * Least, $"{before.BytesWritten} bytes were written.");
        long bytesRead = store.Statistics.BytesRead - before.BytesRead;
        Assert.True(bytesRead >= 100 * Least, $"{bytesRead} bytes were read.");
    }

    [Theory]
    [InlineData(Keys, false)]
    [InlineData(Keys / 4, true)]
    public async Task A_cold_index_says_whether_it_was_made_for_its_keys(int expected, bool isOverfull)
    {
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(512), ExpectedColdKeys = expected,
        };
        await using var store = new TieredStore(TieredPlan.For(options, Schema));
        using TieredSession session = store.StartSession();
        Assert.Equal(0, store.Statistics.ColdIndexFill);
        for (long key = 0; key < Keys; key++)
        {
            var upsert = new Upsert(key);
            _ = session.Upsert(new UnmanagedKey<long>(key), ref upsert);
        }

        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        TieredStatistics now = store.Statistics;
        Assert.InRange(now.ColdIndexFill, isOverfull ? 0.95 : 0.6, isOverfull ? 1 : 0.8);
        Assert.Equal(isOverfull, now.ColdIndexOverfull);
    }

    [Fact]
    public async Task Cold_records_expire()
    {
        var time = new ManualTime();
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(512), TimeProvider = time,
            TimeToLive = TimeSpan.FromSeconds(10),
        };
        await using var store = new TieredStore(TieredPlan.For(options, Schema));
        using TieredSession session = store.StartSession();
        var model = new Dictionary<long, long>();
        for (long key = 0; key < Keys; key++)
        {
            var upsert = new Upsert(key);
            _ = session.Upsert(new UnmanagedKey<long>(key), ref upsert);
            if (key % 100 == 0) model[key] = key;
        }

        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        foreach (long key in model.Keys) Check(session, key, model);
        time.Advance(11_000);
        foreach (long key in model.Keys.ToArray())
        {
            _ = model.Remove(key);
            Check(session, key, model);
            var result = new Result();
            var add = new Add(3, result);
            Status status = session.Rmw(new UnmanagedKey<long>(key), ref add);
            session.CompletePending(wait: true);
            Assert.Equal(Status.Created, status == Status.Pending ? result.Status : status);
            model[key] = 3;
            Check(session, key, model);
        }
    }

    private static void Check(TieredSession session, long key, Dictionary<long, long> model)
    {
        (Status status, long value) = ReadToEnd(session, key);
        bool exists = model.TryGetValue(key, out long expected);
        Assert.True((status == Status.Ok) == exists, $"key {key}: {status}");
        if (exists) Assert.Equal(expected, value);
    }
}
