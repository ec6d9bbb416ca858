using System.Buffers;
using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Faster.Contracts;

/// <summary>The decoded values of a transaction with sets, by the places of its records.</summary>
/// <remarks>Not thread-safe: it lives on the stack of a run. Values may be null.</remarks>
/// <typeparam name="T">The type that the user's method has.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct DecodedRecords<T>
{
    private readonly T[] _rented;

    /// <summary>Rents space for the values of a number of records.</summary>
    public DecodedRecords(int count)
    {
        _rented = ArrayPool<T>.Shared.Rent(Math.Max(count, 1));
        Values = _rented.AsSpan(0, Math.Max(count, 1)); // not empty: sets tell by that where the values are
    }

    /// <summary>One value for each record, whatever it was before; at least one.</summary>
    public Span<T> Values { get; }

    /// <summary>Returns the space.</summary>
    public void Dispose() =>
        ArrayPool<T>.Shared.Return(_rented, RuntimeHelpers.IsReferenceOrContainsReferences<T>());
}
