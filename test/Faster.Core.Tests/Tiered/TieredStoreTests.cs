using Faster.Contracts;
using Faster.Log;
using Faster.Tiered;
using static Faster.Tests.Store.Operations.CounterOperations;
using Result = Faster.Tests.Store.Operations.CounterOperations.Outcome;

namespace Faster.Tests.Tiered;

/// <summary>Operations on a tiered store beside a model, while records move from the hot to the cold tier.</summary>
public sealed class TieredStoreTests
{
    private const int Keys = 40_000, Steps = 150_000;

    [Theory]
    [InlineData(0.75)]
    [InlineData(0)]
    public async Task OperationsBesideAModelWhileRecordsMove(double cacheFraction)
    {
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(512), ReadCacheFraction = cacheFraction,
        };
        await using var store = new TieredStore<NoProbe>(TieredPlan.For(options, Schema));
        using TieredSession<NoProbe> session = store.StartSession();
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
        Assert.True(store.Cold.Log.BeginAddress > PagedLog<NoProbe>.FirstAddress, "and the cold log");
        for (long key = 0; key < Keys; key++) Check(session, key, model);
        Assert.Null(store.Core.Faults.Last);
    }

    private static void Check(TieredSession<NoProbe> session, long key, Dictionary<long, long> model)
    {
        var result = new Result();
        var read = new Read(result);
        Status status = session.Read(new UnmanagedKey<long>(key), ref read);
        long value = read.Value;
        if (status == Status.Pending)
        {
            session.CompletePending(wait: true);
            Assert.Null(result.Error);
            (status, value) = (result.Status, result.Value);
        }

        bool exists = model.TryGetValue(key, out long expected);
        Assert.True((status == Status.Ok) == exists, $"key {key}: {status}");
        if (exists) Assert.Equal(expected, value);
    }
}
