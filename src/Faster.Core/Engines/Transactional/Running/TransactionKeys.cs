using Faster.Contracts;
using Faster.Engines.Transactional.Capture;
using Faster.Engines.Transactional.Locks;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Tables;

namespace Faster.Engines.Transactional.Running;

/// <summary>
/// The records of the transaction that a session runs: an attempt locks all of them, gives the user's method private
/// copies, and installs what it has written, or leaves everything as it was.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Records are found and locked in the order of their keys' hashes, and none is released before all are locked
/// and nothing can fail. So attempts are strictly two-phase, and of those that refuse each other the one with the
/// greatest contested hash is refused nothing: there is no endless run (static key sets).</item>
/// <item>Equal keys have one record, with the stronger access of the two.</item>
/// <item>Nothing that has a record is changed before everything is certain to succeed: new records are linked first,
/// locked, and are taken out again if one of them can't be.</item>
/// </list>
/// <para>Not thread-safe: it belongs to one session, under its epoch.</para>
/// </remarks>
internal sealed unsafe partial class TransactionKeys : IDisposable
{
    private const int CopiedBytes = 4 << 10; // of values of variable length that are read without locks

    private readonly KeyLocks _locks;
    private readonly SessionVersion _version;
    private readonly SessionCaptures _captures;
    private readonly HashSeed _seed;
    private readonly int _valueSize, _stride;
    private NativeSpace<ulong> _hashes, _keyWords, _seen;
    private NativeSpace<RecordAccess> _accesses;
    private NativeSpace<int> _order, _places;
    private NativeSpace<LockedKey> _keys;
    private NativeSpace<TransactionRecord> _records;
    private NativeSpace<nint> _words;
    private NativeSpace<ulong> _copies, _keySlot; // in words, so that they are aligned
    private int _reserved; // for how many keys there is space in all of them
    private int _located;  // how many keys the attempt has located, and must release
    private bool _allAtOnce; // whether each key has nothing but the lock of its record
    private bool _allExist; // whether the attempt has found a record of each key
    private bool _isInstalled;
    private long _added;

    /// <summary>Makes the keys of a session.</summary>
    public TransactionKeys(KeyLocks locks, HashSeed seed, SessionVersion version, SessionCaptures captures)
    {
        (_locks, _seed, _version, _captures) = (locks, seed, version, captures);
        _valueSize = locks.Table.Layout.ValueSize;
        _stride = (_valueSize + 7) / 8;
        _copies.Ensure(CopiedBytes / sizeof(ulong));
    }

    /// <summary>The number of records.</summary>
    public int Count { get; private set; }

    /// <summary>What new values of variable length are written to.</summary>
    public ValueBuffer Buffer { get; } = new();

    /// <summary>The records, after <see cref="TryLockAll"/> or <see cref="TryReadAll"/>.</summary>
    public TransactionRecords Records => new(_records.First, _places.First, Count, Buffer);

    /// <summary>Finds the entries of all keys, and fetches what they lead to. The first step of an attempt.</summary>
    /// <returns><see cref="Outcome.Ok"/>, or <see cref="Outcome.IndexResizing"/>.</returns>
    public Outcome Locate()
    {
        _isInstalled = false;
        _allAtOnce = true;
        int count = Count;
        LockedKey* at = _keys.First;
        for (_located = 0; _located < count; _located++, at++)
        {
            at->Begin();
            Outcome located = _locks.Table.Locate(at->Hash, out at->Entry);
            if (located != Outcome.Ok) return located;
            _allAtOnce &= at->Entry.Pin < 0;
            _locks.Table.Prefetch(ref at->Entry);
        }

        return Outcome.Ok;
    }

    /// <summary>Locks all records, and describes them.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.Retry"/>: another one has a lock; <see cref="Outcome.CprShift"/>:
    /// the attempt belongs to the next version.
    /// </returns>
    public Outcome TryLockAll<TKey, TKeys>(scoped ref TKeys keys)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
    {
        ulong* held = null;
        int count = Count;
        _allExist = true;
        LockedKey* at = _keys.First;
        for (int i = 0; i < count; i++, at++)
        {
            if (Probe.On && Probe.Has(SeededBug.ReadsNotLocked) && !at->IsExclusive)
            {
                at->Record = _locks.Table.Find(keys.GetKey(at->Key), ref at->Entry);
                Describe(i, keys.GetKey(at->Key).SlotSize);
                at->Record = null; // so that it is not released
                _allAtOnce = false;
                continue;
            }

            // A word is compared where it is: a set of keys may choose by a branch.
            byte* found = TKey.IsWord
                ? RecordTable.Search(at->Word, at->Entry.Address)
                : RecordTable.Search(keys.GetKey(at->Key), at->Entry.Address);
            if (!_locks.TryLockFound(found, ref *at))
            {
                _allAtOnce = false;
                Outcome locked = _locks.TryLock(
                    keys.GetKey(at->Key), ref *at, held, at->IsExclusive || SharesWithWriter(i));
                if (locked != Outcome.Ok) return locked;
                if (at->Absent != null) held = at->Absent;
                _allExist &= at->Record != null;
            }

            Describe(i, TKey.FixedSlotSize != 0 ? TKey.FixedSlotSize : keys.GetKey(at->Key).SlotSize);
        }

        return Outcome.Ok;
    }

    /// <summary>Copies all records without locks, and then checks that all of them were there at one moment.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.Retry"/>: one has changed; <see cref="Outcome.Large"/>: they are
    /// too large to be copied.
    /// </returns>
    /// <remarks>
    /// All words are read before the first check, and are the same at it: so all values that were copied, and all
    /// absences, are of that moment between. The user's method sees the copies only if the check holds.
    /// </remarks>
    public Outcome TryReadAll<TKey, TKeys>(scoped ref TKeys keys)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
    {
        int used = 0; // words of the copies
        for (int i = 0; i < Count; i++)
        {
            TKey key = keys.GetKey(_keys[i].Key);
            byte* record = FindReadable(key, i);
            if (record == null && _words[i] == 0) return Outcome.Retry;
            if (!TryCopy(key, record, i, ref used)) return Outcome.Large;
            if (Probe.On && Probe.Has(SeededBug.CopiesCheckedApart) && !IsUnchanged(i)) return Outcome.Retry;
        }

        if (Probe.On && Probe.Has(SeededBug.CopiesCheckedApart)) return Outcome.Ok;
        Volatile.ReadBarrier();
        for (int i = 0; i < Count; i++)
            if (!IsUnchanged(i)) return Outcome.Retry;
        return Outcome.Ok;
    }

    /// <summary>
    /// Ends a transaction that has aborted, of which the commit under way may have to know what it read.
    /// </summary>
    /// <returns><see cref="Outcome.Ok"/>, or as <see cref="TryInstall"/>.</returns>
    public Outcome TryAbort()
    {
        if (!TryReserveCaptures(installs: false)) return Outcome.CapturesFull;
        if (Redo is not null)
        {
            Redo.Begin();
            return TryPublish(Redo, installs: false);
        }

        Stamp(installs: false);
        return Outcome.Ok;
    }

    /// <summary>How many records were added since the last call, less those taken out.</summary>
    public long TakeAdded() => (_added, _added = 0).Item1;

    /// <summary>Releases everything that the attempt has; undoes what is not installed.</summary>
    public void Release()
    {
        while (_located > 0)
        {
            ref LockedKey at = ref _keys[--_located];
            byte* record = at.Record;
            _locks.Release(ref at);
            if (Probe.On && _isInstalled && Probe.Has(SeededBug.InstalledAfterRelease) && record != null)
                _locks.Write(at with { Record = record }, sizeof(long), _records[_located].Current(Buffer));
        }

        if (Probe.On && _isLate) PublishLate();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _hashes.Dispose();
        _keyWords.Dispose();
        _accesses.Dispose();
        _seen.Dispose();
        _order.Dispose();
        _places.Dispose();
        _keys.Dispose();
        _records.Dispose();
        _words.Dispose();
        _copies.Dispose();
        _keySlot.Dispose();
    }

    private bool TryReserveCaptures(bool installs)
    {
        if (!_version.MayCapture) return true;
        long bytes = 0;
        for (int i = 0; i < Count; i++) bytes += _locks.BytesToCapture(_keys[i], IsWritten(i, installs));
        return _captures.TryReserve(bytes, _version.CommittingVersion);
    }

    // Nothing fails from here on.
    private void Stamp(bool installs)
    {
        _version.Append();
        if (!_version.Captures) return;
        for (int i = 0; i < Count; i++) _locks.Stamp(_keys[i], IsWritten(i, installs));
    }

    private bool IsWritten(int place, bool installs) => installs && _records[place].Change != RecordChange.None;

    // Whether a key that is written, and may be absent, has the same word of absent keys: it is taken once.
    private bool SharesWithWriter(int place)
    {
        ulong* word = _locks.Absent.WordOf(_keys[place].Hash);
        for (int i = place + 1; i < Count && _locks.Absent.WordOf(_keys[i].Hash) == word; i++)
            if (_keys[i].IsExclusive) return true;
        return false;
    }

    private void Describe(int place, int keySlotSize)
    {
        ref LockedKey at = ref _keys[place];
        bool exists = at.Record != null;
        byte* slot = exists ? RecordTable.ValueSlotOf(at.Record, keySlotSize) : null;
        if (exists && _valueSize == sizeof(ulong))
        {
            ulong* word = _copies.First + place;
            *word = *(ulong*)slot; // of a record that is only read, too: no branch that depends on the key
            _records[place] = new((byte*)word, sizeof(ulong), exists: true);
            return;
        }

        if (_valueSize == 0)
        {
            ReadOnlySpan<byte> value = exists ? ValueLayout.Bytes(slot, 0) : default;
            _records[place] = new(exists ? slot + ValueLayout.Prefix : (byte*)_copies.First, value.Length, exists);
            return;
        }

        byte* copy = (byte*)(_copies.First + ((long)place * _stride));
        if (!exists) new Span<byte>(copy, _valueSize).Clear();
        else if (at.IsExclusive) new ReadOnlySpan<byte>(slot, _valueSize).CopyTo(new Span<byte>(copy, _valueSize));
        _records[place] = new(exists && !at.IsExclusive ? slot : copy, _valueSize, exists);
    }

    // The record of a key and its word, as it was read first; or null with the word that says that it is absent; or
    // null without a word, if neither is readable.
    private byte* FindReadable<TKey>(scoped TKey key, int place)
        where TKey : struct, IKey, allows ref struct
    {
        ref LockedKey at = ref _keys[place];
        byte* record = RecordTable.Search(key, at.Entry.Address);
        if (record == null)
        {
            if (!IsReadable(place, _locks.Absent.WordOf(at.Hash))) return null;
            record = _locks.Table.Find(key, ref at.Entry);
            if (record == null) return null;
        }

        return IsReadable(place, RecordTable.WordOf(record)) ? record : null;
    }

    private bool IsReadable(int place, ulong* word)
    {
        _seen[place] = LockWord.Read(word);
        bool isReadable = LockWord.IsReadable(_seen[place]);
        _words[place] = isReadable ? (nint)word : 0;
        return isReadable;
    }

    private bool IsUnchanged(int place) => LockWord.IsUnchanged((ulong*)_words[place], _seen[place]);

    private bool TryCopy<TKey>(scoped TKey key, byte* record, int place, ref int used)
        where TKey : struct, IKey, allows ref struct
    {
        byte* copy = (byte*)(_copies.First + used);
        int length = _valueSize;
        if (record != null)
        {
            // The length may be torn from the bytes, but never exceeds the capacity, which does not change.
            byte* slot = RecordTable.ValueSlotOf(record, key.SlotSize);
            if (_valueSize == sizeof(ulong))
            {
                *(ulong*)copy = *(ulong*)slot;
                _records[place] = new(copy, sizeof(ulong), exists: true);
                used++;
                return true;
            }

            Span<byte> value = ValueLayout.Bytes(slot, _valueSize);
            length = value.Length;
            if (_valueSize == 0 && (used * sizeof(ulong)) + (long)length > CopiedBytes) return false;
            value.CopyTo(new Span<byte>(copy, length));
        }
        else
        {
            new Span<byte>(copy, length).Clear();
        }

        used += (length + 7) / 8;
        _records[place] = new(copy, length, record != null);
        return true;
    }
}
