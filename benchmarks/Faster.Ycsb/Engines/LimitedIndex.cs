using Faster.Contracts;
using Faster.Workload.Engines;
using Faster.Workload;

namespace Faster.Ycsb.Engines;

/// <summary>
/// Generated stores whose index keeps to a number of bytes: what no option can say, because a store sizes its index
/// itself.
/// </summary>
/// <remarks>
/// Seven eighths of the bytes are buckets and the rest is for overflow buckets, as in a store that its budget limits;
/// where those are used up, keys share entries and are found along the chains of the log.
/// </remarks>
internal static class LimitedIndex
{
    private const int BucketBytes = 64, EntriesPerBucket = 7;
    private const double Fill = 0.5; // with which a store divides a roomy budget

    /// <summary>Opens an empty store.</summary>
    /// <param name="keys">How many keys it will hold.</param>
    /// <param name="indexBytes">The most that its index may take.</param>
    /// <param name="name">One of <see cref="StoreNames"/>: how it is used.</param>
    public static async Task<IEngine> OpenAsync(long keys, long indexBytes, string name)
    {
        long buckets = indexBytes / BucketBytes * 7 / 8;
        StoreOptions options = NumbersOptions.For(keys) with
        {
            ExpectedKeys = Math.Max(1, (long)(buckets * EntriesPerBucket * Fill)),
        };
        Numbers.Store store = await Numbers.OpenAsync(null, options);
        store.Index.ByteLimit = indexBytes;
        return new Faster.Workload.Engines.StoreEngine(store, name);
    }
}
