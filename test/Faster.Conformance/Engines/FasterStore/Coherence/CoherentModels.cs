using Faster.Conformance.Contract;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// A store answers like a dictionary whatever is done to its log and its index, with and without a read cache, and
/// after it was reopened.
/// </summary>
/// <typeparam name="TKind">The kind of store.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
public abstract class CoherentModels<TKind, TKey, TValue>
    where TKind : ICoherentKind<TKey, TValue>
    where TKey : notnull
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Random_operations_give_what_a_dictionary_gives_beside_all_that_the_store_does(bool cached)
    {
        long hits = 0, copied = 0, expired = 0;
        int shrinks = 0;
        await Seeded.RunAsync(1, async seed =>
        {
            string folder = Directory.CreateTempSubdirectory("faster-coherence-").FullName;
            var model = new MaintainedModel<TKind, TKey, TValue>(folder, seed, cached);
            await Task.Run(() => model.PlayAsync(openings: 3, steps: 400));
            hits += model.Hits;
            copied += model.Copied;
            expired += model.Expired;
            shrinks += model.Shrinks;
            Directory.Delete(folder, recursive: true);
        }, first: 1);
        if (Seeded.IsReplay) return;
        Assert.Equal(cached, hits > 0);
        Assert.True(copied > 0, "Compaction has copied nothing.");
        Assert.Equal(TKind.Expires, expired > 0);
        Assert.True(shrinks > 0, "The index was never halved.");
    }
}
