using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Tests.Devices.Folders;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// A store whose memory holds copies of all hash chunks reads nearly none of them, also once opened again.
/// </summary>
public sealed class TieredStagedTests : IDisposable
{
    private const int Keys = 60_000;

    private static readonly TieredOptions s_options = new()
    {
        MemoryBudget = ByteSize.MiB(3), ExpectedColdKeys = Keys, HotLogSize = ByteSize.KiB(512),
        DiskBudget = ByteSize.MiB(24), CommitOnDispose = true,
    };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Chunks_are_read_once_after_an_opening_and_all_keys_are_right()
    {
        TieredPlan plan = TieredPlan.For(s_options, Schema);
        Assert.True(plan.ColdIndex.StagesAll, $"{plan.ColdIndex} has space for all chunks.");
        var model = new long[Keys];
        var random = new Random(20261126);
        for (int round = 0; round < 3; round++)
        {
            await using TieredStore store =
                await TieredStore.OpenAsync(_folder.Path, s_options, Schema, CancellationToken.None);
            using TieredSession session = store.StartSession();
            for (int i = 0; i < (round == 0 ? Keys : Keys / 2); i++)
            {
                long key = round == 0 ? i : random.Next(Keys);
                var upsert = new Upsert(model[key] = (round * 1_000_000L) + i + 1);
                _ = session.Upsert(Key(key), ref upsert);
            }

            _ = await store.CompactHotAsync(store.Hot.Log.HeadAddress);
            if (round != 0) _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
            for (int key = 0; key < Keys; key++) Assert.Equal((Status.Ok, model[key]), ReadToEnd(session, key));
            Assert.True(store.ColdIndex.Log.Pages.HeadAddress > store.ColdIndex.Log.Pages.BeginAddress);
            long chunks = store.ColdIndex.Directory.ChunkCount, most = round == 0 ? chunks / 8 : chunks * 5 / 4;
            Assert.InRange(store.ColdIndex.Reads, 0, most);
            Assert.Null(store.Core.Faults.Last);
        }
    }
}
