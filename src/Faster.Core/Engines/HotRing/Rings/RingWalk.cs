using Faster.Probes;

namespace Faster.Engines.HotRing.Rings;

/// <summary>
/// One round of a ring, from its head on: the items that are not occupied, without rehash items. Used under an epoch.
/// </summary>
/// <remarks>
/// It ends where it began, or by the order of the items: the first one may be unlinked meanwhile.
/// For statistics only: of a longer ring it returns the first thousand items.
/// </remarks>
internal unsafe struct RingWalk
{
    private const int MaxSteps = 1 << 10; // ends a walk whose first item was unlinked in a ring of one hash

    private readonly byte* _start;
    private byte* _next;
    private ulong _last;
    private int _steps;
    private bool _wrapped;

    /// <summary>Starts at the item at a head.</summary>
    public RingWalk(ulong headWord)
    {
        _start = _next = (byte*)HeadWord.Address(headWord);
        _last = _start == null ? 0 : ItemLayout.Hash(_start);
    }

    /// <summary>The item at which the walk is.</summary>
    public byte* Item { get; private set; }

    /// <summary>The item's word when it was reached.</summary>
    public ulong Word { get; private set; }

    /// <summary>Moves on to the next item.</summary>
    /// <returns>False at the end of the round.</returns>
    public bool MoveNext()
    {
        while (_next != null)
        {
            ulong at = ItemLayout.Hash(_next);
            _wrapped |= at < _last;
            bool isBack = _next == _start || _next == Item || (_wrapped && at >= ItemLayout.Hash(_start));
            if (_steps++ != 0 && (isBack || _steps > MaxSteps)) return false;
            Probe.Point(ProbePoint.RingRead);
            ulong word = Volatile.Read(ref ItemLayout.Word(_next));
            byte* item = _next;
            _next = (byte*)ItemWord.Next(word);
            _last = at;
            if (ItemWord.IsOccupied(word) || ItemWord.IsRehash(word)) continue;
            Item = item;
            Word = word;
            return true;
        }

        return false;
    }
}
