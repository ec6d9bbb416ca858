using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Faster.Contracts;

/// <summary>
/// The records of a transaction while it runs, by the index of their keys in its key set. Keys that are equal share a
/// record.
/// </summary>
/// <remarks>Not thread-safe: it refers to memory of the session, and is of no use after the run.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly unsafe ref struct TransactionRecords
{
    private readonly TransactionRecord* _records;
    private readonly int* _places;

    /// <summary>Refers to records that the engine has locked, or copied and found unchanged.</summary>
    /// <param name="records">The records, one for each key that differs from those before.</param>
    /// <param name="places">For each key its record's place among them.</param>
    /// <param name="count">The number of records.</param>
    /// <param name="buffer">
    /// Receives new values, one after another, if values vary in length; empty at the beginning of a run.
    /// </param>
    public TransactionRecords(TransactionRecord* records, int* places, int count, ValueBuffer buffer)
    {
        _records = records;
        _places = places;
        Count = count;
        Buffer = buffer;
    }

    /// <summary>The number of records.</summary>
    public int Count { get; }

    /// <summary>Receives a new value of variable length; call <see cref="EndValue"/> after it.</summary>
    public ValueBuffer Buffer { get; }

    /// <summary>Returns the place of a key's record among all records, from 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int PlaceOf(int key) => _places[key];

    /// <summary>Returns whether a key has a record.</summary>
    public bool Exists(int key) => Of(key).Exists;

    /// <summary>Returns whether a key's record gets a new value, or is deleted.</summary>
    public bool IsChanged(int key) => Of(key).Change != RecordChange.None;

    /// <summary>Returns the bytes of a key's value as they were before the run; empty if there is no record.</summary>
    public ReadOnlySpan<byte> Bytes(int key) => new(Of(key).Value, Of(key).Exists ? Of(key).Length : 0);

    /// <summary>Returns a value of a fixed size to be read; the default if there is no record.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref readonly T Read<T>(int key) => ref Unsafe.AsRef<T>(Of(key).Value);

    /// <summary>Returns a value of a fixed size to be written, which makes it a new value.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref T Write<T>(int key)
    {
        ref TransactionRecord record = ref Of(key);
        record.Change = RecordChange.Set;
        return ref Unsafe.AsRef<T>(record.Value);
    }

    /// <summary>Notes that a key's record gets a new value, which is yet to be written.</summary>
    public void Touch(int key) => Of(key).Change = RecordChange.Set;

    /// <summary>Makes the bytes that were written to the buffer since the last call a key's new value.</summary>
    /// <param name="key">The index of the key.</param>
    /// <param name="from">The number of bytes that the buffer had before.</param>
    public void EndValue(int key, int from) => Of(key).Set(from, Buffer.Written.Length - from);

    /// <summary>Deletes a key's record.</summary>
    public void Delete(int key) => Of(key).Change = RecordChange.Delete;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref TransactionRecord Of(int key)
    {
        Debug.Assert((uint)_places[key] < (uint)Count, "A key has a record.");
        return ref _records[_places[key]];
    }
}
