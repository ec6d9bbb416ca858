using System.ComponentModel;
using Faster.Contracts;

namespace Faster;

/// <summary>A set of records that a transaction may write, in the order of the keys that its caller gives.</summary>
/// <remarks>
/// Keys that are equal have one record. A record that the transaction does not access is not changed, nor created: an
/// access counts as a write. Valid only during the call.
/// </remarks>
/// <typeparam name="T">
/// The type of the store's values. If it can be null, null is an absent record, and setting null deletes it.
/// </typeparam>
public readonly ref struct Records<T>
{
    private readonly TransactionRecords _records;
    private readonly Span<T> _decoded; // by place; empty if the values themselves are accessed
    private readonly int _first;

    /// <summary>Refers to the records of consecutive keys; emitted code calls it.</summary>
    /// <param name="records">The records of the transaction.</param>
    /// <param name="decoded">The values by the places of their records; empty to access the values themselves.</param>
    /// <param name="first">The index of the first key.</param>
    /// <param name="count">The number of keys.</param>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Records(TransactionRecords records, Span<T> decoded, int first, int count)
    {
        _records = records;
        _decoded = decoded;
        (_first, Count) = (first, count);
    }

    /// <summary>The number of keys.</summary>
    public int Count { get; }

    /// <summary>The value of the record of a key, to be read and written.</summary>
    /// <param name="index">The key's index.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such key.</exception>
    public ref T this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count, nameof(index));
            int key = _first + index;
            if (_decoded.IsEmpty) return ref _records.Write<T>(key);
            _records.Touch(key);
            return ref _decoded[_records.PlaceOf(key)];
        }
    }
}
