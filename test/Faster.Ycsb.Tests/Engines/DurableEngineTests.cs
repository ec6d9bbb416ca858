using Faster.Workload;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Engines.Native;

namespace Faster.Ycsb.Tests.Engines;

/// <summary>Every peer that this program runs writes in every form it has, and every value is checked.</summary>
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
        IEngineSource source = NativeSource.Durable.Single(e => e.Name == name);
        string folder = Directory.CreateTempSubdirectory("ycsb-durable-").FullName;
        try
        {
            DurableResult result = await DurableStep.RunAsync(source, folder, new DurableSettings
            {
                Keys = 2000, Distribution = KeyDistribution.Uniform, Shape = form, Seconds = 0.2, WarmUpSeconds = 0.1,
            });
            Assert.Equal((name, 2000), (result.Engine, result.Checked));
            Assert.Contains(name, EngineCatalog.Durable.Keys);
            Assert.InRange(result.RecordsPerSync!.Value, 0.5, result.Outstanding * 1.5); // counted in turn
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
