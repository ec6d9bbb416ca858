using Faster.Analytics.Scans;
using Faster.Probes;

namespace Faster.Engines.HotRing.Rings;

/// <summary>Copies of the records of a ring, for scans.</summary>
internal sealed unsafe partial class RingEditor
{
    /// <summary>Copies the records of a ring, in the order of their hashes.</summary>
    /// <param name="from">The smallest hash whose records are copied.</param>
    /// <param name="limit">The size in bytes from which on the copies are complete.</param>
    /// <param name="copies">Receives the records.</param>
    /// <returns>The hash at which to go on; 0 after the last ring.</returns>
    /// <remarks>
    /// The walk goes up from the place of the hash, so each item that it visits was adjacent to the one before when it
    /// was reached (see <i>Reads</i> above): a key that stays in the store is not missed, and none is met twice. An
    /// occupied item is unlinked, because its successor may be of a key that was copied already. If the walk stands on
    /// an item that has become occupied meanwhile, it copies the records of that hash again.
    /// </remarks>
    public ulong CopyRing(ulong from, int limit, RecordCopies copies)
    {
        ulong end = View.EndOf(from);
        int kept = copies.Bytes; // what is complete: the records below "from"
        for (;;)
        {
            copies.Truncate(kept);
            // The item before is not needed. While a ring is being parted, it could not be found from the rehash item.
            _ = Seek(default(BoundaryKey), from, needsPrevious: false, out RingPlace place);
            byte* item = place.Item, previous = null;
            ulong word = place.ItemWord, previousWord = 0;
            if (item == null) return end + 1;
            do
            {
                ulong at = ItemLayout.Hash(item);
                // The ring ends, or the next half of one that is being split begins.
                if (at < from || at > end) return end + 1;
                if (previous != null && !Ascends(previous, previousWord, item, word)) return end + 1;
                if (at != from)
                {
                    (from, kept) = (at, copies.Bytes);
                    if (kept >= limit) return from;
                }

                if (!ItemWord.IsRehash(word)) Copy(item, copies);
                previous = item;
                previousWord = word;
            }
            while (TryStep(previous, ref previousWord, from, end, out item, out word));
        }
    }

    // False if the item at which the walk stands is occupied.
    private bool TryStep(
        byte* previous, ref ulong previousWord, ulong from, ulong end, out byte* item, out ulong word)
    {
        for (;;)
        {
            item = (byte*)ItemWord.Next(previousWord);
            word = Read(ref ItemLayout.Word(item));
            bool isOutside = ItemLayout.Hash(item) < from || ItemLayout.Hash(item) > end;
            if (isOutside || !ItemWord.IsOccupied(word)) return true;
            if (Probe.On && Probe.Has(SeededBug.ScanIgnoresOccupied)) return true;
            if (item == previous) return false;
            _ = TryUnlink(previous, previousWord, item);
            previousWord = Read(ref ItemLayout.Word(previous));
            if (ItemWord.IsOccupied(previousWord)) return false;
        }
    }

    private void Copy(byte* item, RecordCopies copies)
    {
        if (_layout.ValueSize is < 1 or > sizeof(ulong))
        {
            copies.Add(_layout.Key(item), _layout.Value(item));
            return;
        }

        ulong value = Volatile.Read(ref *(ulong*)_layout.ValueSlotOf(item));
        copies.Add(_layout.Key(item), new ReadOnlySpan<byte>(&value, _layout.ValueSize));
    }
}
