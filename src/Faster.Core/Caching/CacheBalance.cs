namespace Faster.Caching;

/// <summary>
/// Tells from what operations have found, and missed, whether a page of memory is of more use to the read cache or to
/// the log.
/// </summary>
/// <remarks>
/// <para>What a page more would save the log is known from the misses just below its head: records that were in memory
/// a little while ago, by byte of that stretch. What a page more would save the cache, or a page less cost it, is
/// estimated from the first hits by byte of copies: a record that is hot all the time has a few of them in all its
/// turns, so that it does not count for what it would find in a smaller cache as well.</para>
/// <para>The log is preferred, for it also spares writes. Not thread-safe.</para>
/// </remarks>
internal struct CacheBalance
{
    private const int LeastEvents = 128;
    private const double LogCounts = 1.5;

    private long _firstHits;
    private long _nearMisses;

    /// <summary>Looks at what has come since the last advice.</summary>
    /// <param name="firstHits">All first hits.</param>
    /// <param name="cacheBytes">The bytes of copies.</param>
    /// <param name="nearMisses">All misses just below the log's head.</param>
    /// <param name="nearBytes">The bytes of the stretch that counts as just below.</param>
    /// <returns>1: the cache should have more; -1: it should have less; 0: leave it, or wait.</returns>
    public int Advise(long firstHits, long cacheBytes, long nearMisses, long nearBytes)
    {
        long hits = firstHits - _firstHits, misses = nearMisses - _nearMisses;
        if (hits + misses < LeastEvents) return 0;
        (_firstHits, _nearMisses) = (firstHits, nearMisses);
        double forCache = (double)hits * nearBytes, forLog = (double)misses * cacheBytes;
        return forCache > forLog * LogCounts ? 1 : forCache < forLog ? -1 : 0;
    }
}
