using Faster.Caching;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>
/// The read cache as one session sees it: none, or the store's cache with counters of the session's own.
/// </summary>
/// <remarks>Not thread-safe: it belongs to a session, and is used under the session's epoch.</remarks>
internal readonly unsafe struct CacheView(ReadCache cache)
{
    private readonly ReadCache? _cache = cache;
    private readonly CacheCounters? _counters = cache.Enlist();

    /// <inheritdoc cref="ReadCache.Behind"/>
    public long Behind(long address) => address >= 0 ? address : _cache!.Behind(address);

    /// <inheritdoc cref="ReadCache.Find"/>
    public byte* Find<TKey>(scoped TKey key, ref long address)
        where TKey : struct, IKey, allows ref struct => _cache!.Find(key, ref address, _counters!);

    /// <summary>Finds the key's copy in the prefix that an entry leads to.</summary>
    public byte* Find<TKey>(scoped TKey key, in EntryRef entry)
        where TKey : struct, IKey, allows ref struct
    {
        long address = entry.Address;
        return Find(key, ref address);
    }

    /// <summary>Counts an operation that was completed from a record read from disk.</summary>
    public void OnMiss(ChainReadResult disk) => _cache?.OnMiss(disk.Address, _counters!);

    /// <summary>Counts a record that an operation has linked to a chain of the log.</summary>
    public void OnAppend(long chain) => _cache?.OnAppend(chain, _counters!);

    /// <summary>Offers the cache a record that a read has found on disk.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="disk">The result of the walk that found it.</param>
    /// <param name="value">The key's whole value.</param>
    public void Add<TKey>(scoped TKey key, ulong hash, ChainReadResult disk, ReadOnlySpan<byte> value)
        where TKey : struct, IKey, allows ref struct
    {
        long expiry = Probe.On && Probe.Has(SeededBug.CachedForgetsExpiry) ? RecordExpiry.Never : disk.Expiry;
        _cache?.Add(key, hash, disk.ChainStart, disk.Address, value, expiry);
    }

    /// <summary>Offers the cache a record that a read has found on disk in the tier below.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="chainStart">
    /// Where the chain of the cache's own tier leaves memory; it has no record of the key.
    /// </param>
    /// <param name="below">The result of the walk that found it.</param>
    public void AddBelow<TKey>(scoped TKey key, ulong hash, long chainStart, ChainReadResult below)
        where TKey : struct, IKey, allows ref struct
    {
        if (_cache is null) return;
        _cache.OnMiss(0, _counters!);
        _cache.Add(key, hash, chainStart, ReadCache.OfBelow, below.Value, below.Expiry);
    }

    /// <inheritdoc cref="ReadCache.LinkBehind"/>
    public Outcome LinkBehind(long address, long behind)
    {
        _cache!.LinkBehind(address, behind);
        return Outcome.Ok;
    }

    /// <summary>Counts for another session, after <see cref="Retire"/>.</summary>
    public void BeginAnew()
    {
        if (_counters is not null) _cache!.EnlistAgain(_counters);
    }

    /// <summary>Returns the session's counters when the session ends.</summary>
    public void Retire()
    {
        if (_counters is not null) _cache!.Retire(_counters);
    }
}
