using Faster.Contracts;
using Faster.Engines.Transactional.Locks;
using Faster.Operations;

namespace Faster.Engines.Transactional.Running;

/// <summary>
/// The keys of a transaction in the order in which they are locked: that of their hashes, equal ones together.
/// </summary>
internal sealed unsafe partial class TransactionKeys
{
    private const int FewKeys = 16; // are counted rather than sorted: no branch depends on their hashes

    /// <summary>
    /// Hashes and orders the keys of a transaction, once for all of its attempts; fetches their buckets.
    /// </summary>
    public void Prepare<TKey, TKeys>(QuietView* view, scoped ref TKeys keys)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
    {
        int count = keys.Count;
        if (count > _reserved) Reserve(count);
        ulong* hashes = _hashes.First;
        for (int i = 0; i < count; i++)
        {
            hashes[i] = view->HashOf(keys.GetKey(i));
            view->Prefetch(hashes[i]);
        }

        Order(count);
        Count = 0;
        for (int i = 0; i < count; i++) Place<TKey, TKeys>(ref keys, _order[i]);
    }

    private void Reserve(int count)
    {
        _hashes.Ensure(count);
        _order.Ensure(count);
        _places.Ensure(count);
        _keys.Ensure(count);
        _records.Ensure(count);
        _words.Ensure(count);
        _seen.Ensure(count);
        _copies.Ensure(_stride * count);
        _reserved = count;
    }

    // Of few, the place of each is the number of those before it. The places of keys serve as counts until then.
    private void Order(int count)
    {
        ulong* hashes = _hashes.First;
        int* order = _order.First, before = _places.First;
        if (count > FewKeys)
        {
            for (int i = 0; i < count; i++) order[i] = i;
            var sorted = new Span<ulong>(_seen.First, count);
            new Span<ulong>(hashes, count).CopyTo(sorted);
            sorted.Sort(new Span<int>(order, count));
            return;
        }

        for (int i = 0; i < count; i++)
        {
            ulong hash = hashes[i];
            int own = 0;
            for (int j = 0; j < i; j++)
            {
                int isBefore = hashes[j] <= hash ? 1 : 0;
                own += isBefore;
                before[j] += 1 - isBefore;
            }

            before[i] = own;
        }

        for (int i = 0; i < count; i++) order[before[i]] = i;
    }

    private void Place<TKey, TKeys>(scoped ref TKeys keys, int key)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
    {
        ulong hash = _hashes[key];
        RecordAccess access = keys.GetAccess(key);
        int place = Count - 1;
        if (place >= 0 && _keys[place].Hash == hash)
        {
            while (place >= 0 && _keys[place].Hash == hash && !IsSame<TKey, TKeys>(ref keys, _keys[place].Key, key))
                place--;
            if (place >= 0 && _keys[place].Hash == hash)
            {
                if (access == RecordAccess.Write) _keys[place].Access = access;
                _places[key] = place;
                return;
            }
        }

        ref LockedKey at = ref _keys[Count];
        (at.Hash, at.Key, at.Access) = (hash, key, access);
        _places[key] = Count++;
    }

    private bool IsSame<TKey, TKeys>(scoped ref TKeys keys, int one, int other)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
    {
        TKey key = keys.GetKey(one);
        _keySlot.Ensure(key.SlotSize / sizeof(ulong));
        key.WriteTo((byte*)_keySlot.First);
        return keys.GetKey(other).Matches((byte*)_keySlot.First);
    }
}
