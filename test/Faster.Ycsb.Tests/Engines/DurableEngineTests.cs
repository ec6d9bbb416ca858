using Faster.Workload;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Engines.Awaited;
using Faster.Ycsb.Engines.Native;

namespace Faster.Ycsb.Tests.Engines;

/// <summary>Engines whose writes are waited for write in every form they have, and every value is checked.</summary>
public class DurableEngineTests
{
    [Theory]
    [InlineData("sqlite-full", "blocking:2")]
    [InlineData("sqlite-full", "batches:2x64")]
    [PeerData("rocksdb-sync", "blocking:2")]
    [PeerData("rocksdb-sync", "batches:2x64")]
    [PeerData("lmdb-sync", "blocking:2")]
    [PeerData("lmdb-sync", "batches:2x64")]
    public async Task A_peer_counts_a_sync_for_each_group_that_it_acknowledges(string name, string form)
    {
        DurableResult result = await RunAsync(NativeSource.Durable.Single(e => e.Name == name), form);
        Assert.Equal((name, 2000), (result.Engine, result.Checked));
        Assert.Contains(name, EngineCatalog.Durable.Keys);
        Assert.InRange(result.RecordsPerSync!.Value, 0.1, result.Outstanding * 1.5); // both counts are read in turn
    }

    [Theory]
    [InlineData("faster-durable", "blocking:2")]
    [InlineData("faster-durable", "batches:2x64")]
    [InlineData("faster-durable", "awaited:2x64")]
    [InlineData("tiered-durable", "blocking:2")]
    [InlineData("tiered-durable", "batches:2x64")]
    [InlineData("tiered-durable", "awaited:2x64")]
    [InlineData("faster", "blocking:2")]
    [InlineData("faster", "batches:2x64")]
    [InlineData("faster", "awaited:2x64")]
    [InlineData("tiered", "blocking:2")]
    [InlineData("tiered", "batches:2x64")]
    [InlineData("tiered", "awaited:2x64")]
    public async Task A_store_of_ours_writes_in_every_form(string name, string form)
    {
        IEngineSource source = AwaitedSource.All.Single(e => e.Name == name);
        DurableResult result = await RunAsync(source, form);
        Assert.Equal((name, form, 2000), (result.Engine, result.Form, result.Checked));
    }

    private static async Task<DurableResult> RunAsync(IEngineSource source, string form)
    {
        string folder = Directory.CreateTempSubdirectory("ycsb-durable-").FullName;
        try
        {
            return await DurableStep.RunAsync(source, folder, new DurableSettings
            {
                Keys = 2000, Distribution = KeyDistribution.Uniform, Shape = form, Seconds = 0.2, WarmUpSeconds = 0.1,
            });
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
