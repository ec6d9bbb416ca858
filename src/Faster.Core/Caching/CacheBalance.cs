namespace Faster.Caching;

/// <summary>
/// Decides from hits and misses whether a page of memory is of more use to the read cache or to the log.
/// </summary>
/// <remarks>
/// <para>What one more page would save the log is known from the misses just below its head, that is of records that
/// were recently in memory, per byte of that range. What one more page would save the cache, or one page less would
/// cost it, is estimated from the first hits per byte of copies: a record that is always hot has few first hits over
/// all its rounds through the cache, so hits that a smaller cache would also have do not count.</para>
/// <para>The log is preferred, because its memory also saves writes. Not thread-safe.</para>
/// </remarks>
internal struct CacheBalance
{
    private const int MinEvents = 128;
    private const double LogCounts = 1.5;

    private long _firstHits;
    private long _nearMisses;

    /// <summary>Evaluates the hits and misses since the last advice.</summary>
    /// <param name="firstHits">The total number of first hits.</param>
    /// <param name="cacheBytes">The number of bytes of copies.</param>
    /// <param name="nearMisses">The total number of misses just below the log's head.</param>
    /// <param name="nearBytes">The size in bytes of the range that counts as just below.</param>
    /// <returns>
    /// 1 if the cache should grow; -1 if it should shrink; 0 to leave it, or to wait for more events.
    /// </returns>
    public int Advise(long firstHits, long cacheBytes, long nearMisses, long nearBytes)
    {
        long hits = firstHits - _firstHits, misses = nearMisses - _nearMisses;
        if (hits + misses < MinEvents) return 0;
        (_firstHits, _nearMisses) = (firstHits, nearMisses);
        double forCache = (double)hits * nearBytes, forLog = (double)misses * cacheBytes;
        return forCache > forLog * LogCounts ? 1 : forCache < forLog ? -1 : 0;
    }
}
