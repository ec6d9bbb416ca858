using Faster.Contracts;
using Faster.Engines.Transactional.Locks;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Tables;

namespace Faster.Engines.Transactional.Running;

/// <summary>How what a transaction has written becomes the values of its records, under all of its locks.</summary>
internal sealed unsafe partial class TransactionKeys
{
    /// <summary>Installs what the transaction has written.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.AllocationFailed"/>, <see cref="Outcome.CapturesFull"/>,
    /// <see cref="Outcome.LogsFull"/> or <see cref="Outcome.LogsBusy"/>: nothing is changed, wait outside the epoch.
    /// </returns>
    /// <exception cref="LimitExceededException">
    /// A value is too large, or memory is used up; nothing is changed.
    /// </exception>
    public Outcome TryInstall<TKey, TKeys>(scoped ref TKeys keys)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
    {
        bool mayMake = !_allExist || _valueSize == 0;
        bool areWords = _allAtOnce && _valueSize == sizeof(ulong) && TKey.FixedSlotSize != 0
            && !(Probe.On && Probe.Has(SeededBug.InstalledAfterRelease));
        if (mayMake && !TryMakeAll<TKey, TKeys>(ref keys)) return Outcome.AllocationFailed;
        if (!TryReserveCaptures(installs: true)) return Outcome.CapturesFull;
        for (int i = 0; mayMake && i < Count; i++)
            if (_keys[i].Made != null && _keys[i].Record == null) _locks.Link(ref _keys[i]);
        if (Redo is null)
        {
            Stamp(installs: true);
        }
        else
        {
            Outcome published = TryPublish<TKey, TKeys>(ref keys, Redo);
            if (published != Outcome.Ok) return published;
        }

        if (areWords)
        {
            InstallWords(TKey.FixedSlotSize);
            return Outcome.Ok;
        }

        for (int i = 0; i < Count; i++)
        {
            if (_records[i].Change == RecordChange.None) continue;
            int keySlot = TKey.FixedSlotSize != 0 ? TKey.FixedSlotSize : keys.GetKey(_keys[i].Key).SlotSize;
            Install(ref _keys[i], _records[i], keySlot);
        }

        _isInstalled = true;
        return Outcome.Ok;
    }

    // Makes the records for keys that have none, or whose record is too short.
    private bool TryMakeAll<TKey, TKeys>(scoped ref TKeys keys)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
    {
        for (int i = 0; i < Count; i++)
        {
            ref LockedKey at = ref _keys[i];
            if (_records[i].Change != RecordChange.Set) continue;
            TKey key = keys.GetKey(at.Key);
            ReadOnlySpan<byte> value = _records[i].Current(Buffer);
            if (_locks.Fits(at, key.SlotSize, value.Length)) continue;
            if (!_locks.TryMake(key, ref at, value.Length, out Span<byte> made)) return false;
            value.CopyTo(made);
        }

        return true;
    }

    // Writes and releases one key after the other: all are locked, and nothing fails. What may be written is, changed
    // or not, so that nothing but the lock decides.
    private void InstallWords(int keySlotSize)
    {
        for (LockedKey* at = _keys.First + _located; _located > 0;)
        {
            at--;
            _located--;
            ulong* word = RecordTable.WordOf(at->Record);
            if (!at->IsExclusive)
            {
                LockWord.Release(word, isExclusive: false);
            }
            else if (_records[_located].Change == RecordChange.Delete)
            {
                Install(ref *at, _records[_located], keySlotSize); // its word is gone then
            }
            else
            {
                Probe.Point(ProbePoint.RecordUpdate);
                *(ulong*)RecordTable.ValueSlotOf(at->Record, keySlotSize) = *(ulong*)_records[_located].Value;
                LockWord.Release(word, isExclusive: true);
            }
        }
    }

    private void Install(ref LockedKey at, in TransactionRecord record, int keySlotSize)
    {
        bool existed = at.Record != null;
        if (record.Change == RecordChange.Set)
        {
            _added += existed ? 0 : 1;
            if (at.IsLinked) KeyLocks.Confirm(ref at);
            else if (at.Made != null) _locks.Replace(ref at);
            else if (!(Probe.On && Probe.Has(SeededBug.InstalledAfterRelease)))
                _locks.Write(at, keySlotSize, record.Current(Buffer));
        }
        else if (record.Change == RecordChange.Delete && existed)
        {
            _added--;
            _locks.Delete(ref at);
        }
    }
}
