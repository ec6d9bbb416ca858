using System.Buffers;
using System.Runtime.ExceptionServices;

namespace Faster.Contracts;

/// <summary>The operations of one batch that went pending, and where their results belong.</summary>
/// <typeparam name="T">The result's type.</typeparam>
/// <remarks>
/// Not thread-safe: it lives in a batch on its caller's stack. Rents nothing until the first operation goes pending.
/// </remarks>
public struct PendingBatch<T>
{
    private (int Index, PendingResult<T> Result)[]? _items;
    private int _count;

    /// <summary>Notes an operation that went pending.</summary>
    /// <param name="index">Its index in the batch.</param>
    /// <param name="result">What its completion tells.</param>
    public void Add(int index, PendingResult<T> result)
    {
        var items = _items ??= ArrayPool<(int, PendingResult<T>)>.Shared.Rent(16);
        if (_count == items.Length)
        {
            _items = ArrayPool<(int, PendingResult<T>)>.Shared.Rent(items.Length * 2);
            items.CopyTo(_items, 0);
            ArrayPool<(int, PendingResult<T>)>.Shared.Return(items, clearArray: true);
        }

        _items[_count++] = (index, result);
    }

    /// <summary>Puts the results where they belong. Every noted operation must be done.</summary>
    /// <param name="results">The batch's results; empty when nobody asks for them.</param>
    /// <exception cref="Exception">The first error of an operation, after all others were collected.</exception>
    public void Collect(Span<T> results)
    {
        if (_items is null) return;
        ExceptionDispatchInfo? first = null;
        for (int i = 0; i < _count; i++)
        {
            try
            {
                T result = _items[i].Result.TakeResult();
                if (!results.IsEmpty) results[_items[i].Index] = result;
            }
            catch (Exception error)
            {
                first ??= ExceptionDispatchInfo.Capture(error);
            }
        }

        ArrayPool<(int, PendingResult<T>)>.Shared.Return(_items, clearArray: true);
        _items = null;
        _count = 0;
        first?.Throw();
    }
}
