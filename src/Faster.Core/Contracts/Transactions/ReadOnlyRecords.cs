using System.ComponentModel;
using Faster.Contracts;

namespace Faster;

/// <summary>A set of records that a transaction reads, in the order of the keys that its caller gives.</summary>
/// <remarks>Valid only during the call.</remarks>
/// <typeparam name="T">The type of the store's values. If it can be null, null is an absent record.</typeparam>
public readonly ref struct ReadOnlyRecords<T>
{
    private readonly TransactionRecords _records;
    private readonly Span<T> _decoded;
    private readonly int _first;

    /// <summary>Refers to the records of consecutive keys; emitted code calls it.</summary>
    /// <param name="records">The records of the transaction.</param>
    /// <param name="decoded">The values by the places of their records; empty to access the values themselves.</param>
    /// <param name="first">The index of the first key.</param>
    /// <param name="count">The number of keys.</param>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public ReadOnlyRecords(TransactionRecords records, Span<T> decoded, int first, int count)
    {
        _records = records;
        _decoded = decoded;
        (_first, Count) = (first, count);
    }

    /// <summary>The number of keys.</summary>
    public int Count { get; }

    /// <summary>The value of the record of a key.</summary>
    /// <param name="index">The key's index.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such key.</exception>
    public ref readonly T this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count, nameof(index));
            int key = _first + index;
            return ref _decoded.IsEmpty ? ref _records.Read<T>(key) : ref _decoded[_records.PlaceOf(key)];
        }
    }
}
