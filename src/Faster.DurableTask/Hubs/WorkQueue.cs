using System.Threading.Channels;

namespace Faster.DurableTask.Hubs;

/// <summary>What waits for a dispatcher, in the order in which it became ready.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class WorkQueue<T>
{
    private readonly Channel<T> _items = Channel.CreateUnbounded<T>();

    /// <summary>How many wait.</summary>
    public int Count => _items.Reader.Count;

    /// <summary>Adds an item.</summary>
    public void Add(T item) => _items.Writer.TryWrite(item);

    /// <summary>Takes the next item that is accepted; the default if none comes in time.</summary>
    public async Task<TResult?> TakeAsync<TResult>(
        Func<T, ValueTask<TResult?>> accept, TimeSpan timeout, CancellationToken cancellationToken)
        where TResult : class
    {
        CancellationTokenSource? limit = null;
        try
        {
            while (true)
            {
                while (_items.Reader.TryRead(out T? item))
                {
                    if (await accept(item).ConfigureAwait(false) is { } taken) return taken;
                }

                if (limit is null)
                {
                    limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
                    limit.CancelAfter(timeout);
                }

                await _items.Reader.WaitToReadAsync(limit.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            return null; // what DurableTask expects, in time or on stopping
        }
        finally
        {
            limit?.Dispose();
        }
    }
}
