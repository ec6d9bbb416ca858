using System.Buffers;
using System.ComponentModel;
using System.Runtime.ExceptionServices;

namespace Faster.Contracts;

/// <summary>The operations of one batch that went pending, with the index of each result.</summary>
/// <typeparam name="T">The result's type.</typeparam>
/// <remarks>
/// Not thread-safe: it lives in a batch on the caller's stack. It rents nothing until the first operation goes pending.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public struct AwaitableBatch<T>
{
    private (int Index, AwaitableResult<T> Result)[]? _items;
    private int _count;

    /// <summary>Adds an operation that went pending.</summary>
    /// <param name="index">The operation's index in the batch.</param>
    /// <param name="result">The result that the operation completes.</param>
    public void Add(int index, AwaitableResult<T> result)
    {
        var items = _items ??= ArrayPool<(int, AwaitableResult<T>)>.Shared.Rent(16);
        if (_count == items.Length)
        {
            _items = ArrayPool<(int, AwaitableResult<T>)>.Shared.Rent(items.Length * 2);
            items.CopyTo(_items, 0);
            ArrayPool<(int, AwaitableResult<T>)>.Shared.Return(items, clearArray: true);
        }

        _items[_count++] = (index, result);
    }

    /// <summary>Stores each result at its index. Every added operation must be done.</summary>
    /// <param name="results">The batch's results; empty if the caller does not need them.</param>
    /// <exception cref="Exception">
    /// The first error of an operation, thrown after all results were collected.
    /// </exception>
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

        ArrayPool<(int, AwaitableResult<T>)>.Shared.Return(_items, clearArray: true);
        _items = null;
        _count = 0;
        first?.Throw();
    }
}
