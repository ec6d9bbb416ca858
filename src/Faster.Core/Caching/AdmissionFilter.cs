using Faster.Contracts;

namespace Faster.Caching;

/// <summary>
/// Admits a record to a full cache only when it is read from disk for the second time within some time, so that records
/// read once do not evict records read often.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>One bit for each hash that was rejected. With each eighth bit that is set, the hand clears the next word, so
/// the bits never fill up: a bit lasts for half of a round of the hand on average.</item>
/// <item>What it admits is a hint: a wrong answer costs time only.</item>
/// </list>
/// <para>Thread-safe: a race may lose a bit or clear a word twice.</para>
/// </remarks>
internal sealed class AdmissionFilter
{
    private const int BitsForEachClear = 8;

    private readonly ulong[] _words;
    private readonly int _shift;
    private uint _hand;

    /// <summary>Creates an empty filter.</summary>
    /// <param name="bytes">
    /// The filter's memory in bytes: a power of two, at least 16; or 0 for a filter that admits everything.
    /// </param>
    public AdmissionFilter(long bytes)
    {
        _words = new ulong[bytes / sizeof(ulong)];
        _shift = 64 - System.Numerics.BitOperations.Log2((ulong)Math.Max(bytes, 1) * 8);
    }

    /// <summary>Returns whether a record is admitted; if not, it is remembered and admitted the next time.</summary>
    public bool Admits(ulong hash)
    {
        if (_words.Length == 0) return true;

        // The index uses the hash's high bits unchanged; keys of one chain should not share a bit here.
        ulong place = KeyHash.Spread(hash) >> _shift;
        ref ulong word = ref _words[place >> 6];
        ulong bit = 1UL << (int)(place & 63);
        if ((word & bit) != 0) return true;
        word |= bit;
        uint hand = ++_hand;
        if (hand % BitsForEachClear == 0) _words[hand / BitsForEachClear & (uint)(_words.Length - 1)] = 0;
        return false;
    }
}
