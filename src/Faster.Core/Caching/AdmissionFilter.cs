namespace Faster.Caching;

/// <summary>
/// Lets a record into a full cache when it is read from disk for the second time within a while, so that what is read
/// once does not push out what is read often.
/// </summary>
/// <remarks>
/// One bit for each hash that was refused. With each eighth bit that is set the hand clears the next word: it comes
/// round when an eighth as many hashes as there are bits have been refused, so that a bit lasts for half of that on
/// average, and the bits never fill up. Any threads may call; races lose a bit or clear a word twice, which is but a
/// wrong guess.
/// </remarks>
internal sealed class AdmissionFilter
{
    private const int BitsForEachClear = 8;

    private readonly ulong[] _words;
    private readonly int _shift;
    private uint _hand;

    /// <summary>An empty filter.</summary>
    /// <param name="bytes">Its memory: a power of two, at least 16; or 0 for a filter that lets everything in.</param>
    public AdmissionFilter(long bytes)
    {
        _words = new ulong[bytes / sizeof(ulong)];
        _shift = 64 - System.Numerics.BitOperations.Log2((ulong)Math.Max(bytes, 1) * 8);
    }

    /// <summary>Whether a record is let in; if not, it is the next time.</summary>
    public bool Admits(ulong hash)
    {
        if (_words.Length == 0) return true;

        // The index uses the hash's high bits as they are: keys of one chain should not share a bit here.
        ulong place = hash * 0x9E37_79B9_7F4A_7C15 >> _shift;
        ref ulong word = ref _words[place >> 6];
        ulong bit = 1UL << (int)(place & 63);
        if ((word & bit) != 0) return true;
        word |= bit;
        uint hand = ++_hand;
        if (hand % BitsForEachClear == 0) _words[hand / BitsForEachClear & (uint)(_words.Length - 1)] = 0;
        return false;
    }
}
