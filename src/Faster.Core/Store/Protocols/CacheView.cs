using Faster.Caching;
using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>The read cache as one session sees it: none, or the store's with a tally of the session's own.</summary>
/// <remarks>Belongs to a session; under its epoch.</remarks>
internal readonly unsafe struct CacheView<TProbe>(ReadCache<TProbe> cache)
    where TProbe : struct, IProbe
{
    private readonly ReadCache<TProbe>? _cache = cache;
    private readonly CacheTally? _tally = cache.Enlist();

    /// <inheritdoc cref="ReadCache{TProbe}.Behind"/>
    public long Behind(long address) => address >= 0 ? address : _cache!.Behind(address);

    /// <inheritdoc cref="ReadCache{TProbe}.Find"/>
    public byte* Find<TKey>(scoped TKey key, ref long address)
        where TKey : struct, IKey, allows ref struct => _cache!.Find(key, ref address, _tally!);

    /// <summary>Finds the key's copy in the prefix that an entry leads to.</summary>
    public byte* Find<TKey>(scoped TKey key, ulong word)
        where TKey : struct, IKey, allows ref struct
    {
        long address = EntryWord.AddressOf(word);
        return Find(key, ref address);
    }

    /// <summary>An operation has done with what it has read from disk.</summary>
    public void OnMiss(DiskRecord disk) => _cache?.OnMiss(disk.Address, _tally!);

    /// <summary>An operation has linked a record to a chain of the log.</summary>
    public void OnAppend(long chain) => _cache?.OnAppend(chain, _tally!);

    /// <summary>A read has found its record on disk.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="disk">What was read.</param>
    /// <param name="value">The key's whole value.</param>
    public void Add<TKey>(scoped TKey key, ulong hash, DiskRecord disk, ReadOnlySpan<byte> value)
        where TKey : struct, IKey, allows ref struct
    {
        long expiry = TProbe.Has(SeededBug.CachedForgetsExpiry) ? RecordExpiry.Never : disk.Expiry;
        _cache?.Add(key, hash, disk.ChainStart, disk.Address, value, expiry);
    }

    /// <inheritdoc cref="ReadCache{TProbe}.LinkBehind"/>
    public bool LinkBehind(ulong word, long behind)
    {
        _cache!.LinkBehind(EntryWord.AddressOf(word), behind);
        return true;
    }

    /// <summary>The session has ended.</summary>
    public void Retire()
    {
        if (_tally is not null) _cache!.Retire(_tally);
    }
}
