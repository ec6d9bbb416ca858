using Faster.Conformance.Contract;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// A value in fragments ends with its lowest fragment, which may be truncated while its record is not: no copy outlives
/// it, even where a page of the cache has space for one.
/// </summary>
public sealed class TruncatedLargeValues
{
    private static readonly StoreOptions Options = new()
    {
        MemoryBudget = ByteSize.MiB(8), PageSize = ByteSize.KiB(4), ReadCacheFraction = 0.75, ExpectedKeys = 50_000,
    };

    [Fact]
    public async Task A_value_whose_first_chunk_is_truncated_does_not_live_on_in_the_cache()
    {
        string folder = Directory.CreateTempSubdirectory("faster-coherence-").FullName;
        await using (FasterStoreUnderTest<byte[], byte[]> store =
            await CoherentMergedAppenders.OpenAsync(folder, Options))
        {
            Flavor<byte[], byte[]> flavor = AppenderFlavor.Instance;
            byte[] large = CoherentLargeAppenders.Enlarged(flavor.Value(1)), small = flavor.Value(2);
            ISessionUnderTest<byte[], byte[]> session = store.StartSession();
            long chunks = store.Statistics.TailAddress;
            session.UpsertNow(flavor.Key(1), large);
            session.UpsertNow(flavor.Key(2), small);
            long end = store.Statistics.TailAddress;
            for (long key = 3; store.Statistics.HeadAddress < end; key++)
                session.UpsertNow(flavor.Key(key), flavor.Bulky(key));
            for (int i = 0; i < 100; i++)
            {
                Assert.Equal(large, session.ReadNow(flavor.Key(1)).Value);
                Assert.Equal(small, session.ReadNow(flavor.Key(2)).Value);
            }

            Assert.True(store.Statistics.ReadCacheHits > 50, store.Statistics.ToString());
            await store.TruncateAsync(chunks + 4096); // the page of the last fragment, which was written first
            Assert.False(session.ReadNow(flavor.Key(1)).Found, "A copy outlives a value that was truncated.");
            Assert.Equal(small, session.ReadNow(flavor.Key(2)).Value);
            await session.DisposeAsync();
        }

        Directory.Delete(folder, recursive: true);
    }
}
