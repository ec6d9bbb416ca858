using Faster.Analytics.Transfer;
using Faster.Contracts;
using Faster.Engines.Transactional.Locks;
using Faster.Log.Records;
using Faster.Tables;

namespace Faster.Engines.Transactional.Running;

/// <summary>
/// Keys that a dynamic transaction names while it runs. They are locked in the order in which it does, so two that take
/// the same records in other orders may refuse each other more than once.
/// </summary>
internal sealed unsafe partial class TransactionKeys
{
    private readonly ValueBuffer _names = new(); // the bytes of the keys; places and lengths are in _places and _order

    /// <summary>The set of keys that the transaction has named.</summary>
    public NamedKeys Named => new(this);

    /// <summary>Begins an attempt without keys.</summary>
    public void BeginDynamic()
    {
        (Count, _located, _isInstalled, _allExist) = (0, 0, false, true);
        _names.Clear();
        Buffer.Clear();
    }

    /// <summary>Finds and locks a key's record, or strengthens the lock that the attempt has.</summary>
    /// <param name="bytes">The key's bytes.</param>
    /// <param name="access">The access.</param>
    /// <param name="place">The record's place.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>, or why the attempt ends: <see cref="Outcome.Retry"/> or
    /// <see cref="Outcome.IndexResizing"/>.
    /// </returns>
    public Outcome TryFind(ReadOnlySpan<byte> bytes, RecordAccess access, out int place)
    {
        var key = new ImportedKey(bytes, _locks.Table.Tier.Schema.KeySlotSize);
        ulong hash = key.Hash(_seed);
        for (place = 0; place < Count; place++)
        {
            if (_keys[place].Hash != hash || !BytesOf(place).SequenceEqual(bytes)) continue;
            if (access == RecordAccess.Read || _keys[place].IsExclusive) return Outcome.Ok;
            return TryStrengthen(ref _keys[place]);
        }

        Name(bytes); // first: what is pinned is released in any case
        Outcome located = _locks.Table.Locate(hash, out var entry);
        if (located != Outcome.Ok) return located;
        _keys[place] = new LockedKey(hash, place, access) { Entry = entry };
        _located = ++Count;
        ref LockedKey at = ref _keys[place];
        if (!TryHoldAbsent(at, out ulong* held)) return Outcome.Retry;
        Outcome locked = _locks.TryLock(key, ref at, held, at.IsExclusive);
        if (locked != Outcome.Ok) return locked;
        bool exists = at.Record != null;
        _allExist &= exists;
        byte* slot = exists ? RecordTable.ValueSlotOf(at.Record, key.SlotSize) : null;
        ReadOnlySpan<byte> value = exists ? ValueLayout.Bytes(slot, _valueSize) : default;
        byte* first = exists ? slot + (_valueSize == 0 ? ValueLayout.Prefix : 0) : (byte*)_copies.First;
        _records[place] = new(first, value.Length, exists);
        return Outcome.Ok;
    }

    /// <summary>A record that <see cref="TryFind"/> has found.</summary>
    public ref TransactionRecord RecordAt(int place) => ref _records[place];

    private ReadOnlySpan<byte> BytesOf(int place) => _names.Written.Slice(_places[place], _order[place]);

    private void Name(ReadOnlySpan<byte> bytes)
    {
        _keys.EnsureNext(Count);
        _records.EnsureNext(Count);
        _places.EnsureNext(Count);
        _order.EnsureNext(Count);
        (_places[Count], _order[Count]) = (_names.Written.Length, bytes.Length);
        bytes.CopyTo(_names.GetSpan(bytes.Length));
        _names.Advance(bytes.Length);
    }

    private Outcome TryStrengthen(ref LockedKey at)
    {
        at.Access = RecordAccess.Write;
        bool isStronger = at.Record == null
            ? TryHoldAbsent(at, out _)
            : LockWord.TryUpgrade(RecordTable.WordOf(at.Record));
        if (isStronger && _version.IsAtRest) return Outcome.Ok;
        if (isStronger)
        {
            return TryHoldAbsent(at, out ulong* held)
                ? _locks.Admit(ref at, held, isAbsentExclusive: true)
                : Outcome.Retry;
        }

        at.Access = RecordAccess.Read; // as it is released
        return Outcome.Retry;
    }

    // The word of absent keys, if the attempt has it; exclusive if the key is written. False: others have it, too.
    private bool TryHoldAbsent(in LockedKey at, out ulong* held)
    {
        held = _locks.Absent.WordOf(at.Hash);
        for (int i = 0; i < Count; i++)
        {
            ref LockedKey holder = ref _keys[i];
            if (holder.Absent != held) continue;
            if (!at.IsExclusive || holder.IsAbsentExclusive) return true;
            return holder.IsAbsentExclusive = LockWord.TryUpgrade(held);
        }

        held = null;
        return true;
    }

    /// <summary>The keys that a dynamic transaction has named.</summary>
    internal readonly ref struct NamedKeys(TransactionKeys keys) : IKeySet<ImportedKey>
    {
        /// <inheritdoc/>
        public static int FixedCount => 0;

        /// <inheritdoc/>
        public static bool IsReadOnly => false;

        /// <inheritdoc/>
        public int Count => keys.Count;

        /// <inheritdoc/>
        public ImportedKey GetKey(int index) => new(keys.BytesOf(index), keys._locks.Table.Tier.Schema.KeySlotSize);

        /// <inheritdoc/>
        public RecordAccess GetAccess(int index) => keys._keys[index].Access;
    }
}
