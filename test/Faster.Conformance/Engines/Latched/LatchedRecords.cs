using System.Runtime.InteropServices;
using Faster.Analytics.Transfer;
using Faster.Contracts;

namespace Faster.Conformance.Engines.Latched;

/// <summary>
/// The records of the one transaction that is under way: a copy of each, found when it is asked for, and installed at
/// the end. The latch is held meanwhile, so there are no locks and no conflicts.
/// </summary>
internal sealed unsafe class LatchedRecords(LatchedTable table) : DynamicRecords
{
    private readonly List<byte[]> _keys = [];
    private TransactionRecord* _records; // beside the keys; each has memory of its own
    private int _capacity;

    /// <inheritdoc/>
    public override ValueBuffer Buffer { get; } = new();

    /// <inheritdoc/>
    public override ref TransactionRecord Find(scoped ReadOnlySpan<byte> key, RecordAccess access)
    {
        int place = PlaceOf(key); // before the records are named, which it may move
        return ref _records[place];
    }

    /// <summary>Returns the records, once all of them were found.</summary>
    /// <param name="places">For each key the place of its record.</param>
    public TransactionRecords Of(int* places) => new(_records, places, _keys.Count, Buffer);

    /// <summary>Returns the place of a key's record, which is copied if it is not there yet.</summary>
    public int PlaceOf(scoped ReadOnlySpan<byte> key)
    {
        for (int place = 0; place < _keys.Count; place++)
        {
            if (key.SequenceEqual(_keys[place])) return place;
        }

        ImportedKey wanted = new(key, table.Schema.KeySlotSize);
        byte* record = *table.Find(wanted, out _);
        ReadOnlySpan<byte> value = record is null ? default : table.ValueOf(record, wanted).Bytes;
        int length = record is null ? table.Schema.ValueSize : value.Length;
        byte* copy = (byte*)NativeMemory.AllocZeroed((nuint)Math.Max(length, 8));
        value.CopyTo(new Span<byte>(copy, length));
        if (_keys.Count == _capacity)
        {
            _capacity = Math.Max(16, _capacity * 2);
            _records = (TransactionRecord*)NativeMemory.Realloc(
                _records, (nuint)_capacity * (nuint)sizeof(TransactionRecord));
        }

        _records[_keys.Count] = new TransactionRecord(copy, length, record is not null);
        _keys.Add(key.ToArray());
        return _keys.Count - 1;
    }

    /// <summary>Installs all changes, or throws and installs none.</summary>
    public void Install()
    {
        byte*[] made = new byte*[_keys.Count];
        try
        {
            for (int place = 0; place < made.Length; place++)
            {
                if (_records[place].Change != RecordChange.Set) continue;
                ImportedKey key = new(_keys[place], table.Schema.KeySlotSize);
                _ = table.Find(key, out ulong hash);
                ReadOnlySpan<byte> value = _records[place].Current(Buffer);
                made[place] = table.NewRecord(key, hash, value.Length);
                value.CopyTo(table.ValueOf(made[place], key).Bytes);
            }
        }
        catch
        {
            foreach (byte* record in made)
            {
                if (record is not null) table.Free(record);
            }

            throw;
        }

        for (int place = 0; place < made.Length; place++)
        {
            byte** link = table.Find(new ImportedKey(_keys[place], table.Schema.KeySlotSize), out _);
            if (made[place] is not null) table.Link(link, made[place]);
            else if (_records[place].Change == RecordChange.Delete && *link is not null) table.Unlink(link);
        }
    }

    /// <summary>Forgets the records.</summary>
    public void Clear()
    {
        for (int place = 0; place < _keys.Count; place++) NativeMemory.Free(_records[place].Value);
        _keys.Clear();
        Buffer.Clear();
        NativeMemory.Free(_records);
        _records = null;
        _capacity = 0;
    }
}
