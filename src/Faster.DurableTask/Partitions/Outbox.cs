using Faster.DurableTask.Records;

namespace Faster.DurableTask.Partitions;

/// <summary>
/// The durable messages of a partition to another one: sent in the order of their numbers, many together.
/// </summary>
/// <remarks>Thread-safe. One batch is under way at a time; what comes meanwhile is the next.</remarks>
internal sealed class Outbox(Partition sender, int destination)
{
    private const int MostOfBatch = 512;
    private static readonly TimeSpan RetryPause = TimeSpan.FromMilliseconds(20);

    private readonly Lock _lock = new();
    private readonly Queue<Item> _items = new();
    private bool _isSending;

    /// <summary>Adds a message, which is durable.</summary>
    public void Add(Item item)
    {
        lock (_lock)
        {
            _items.Enqueue(item);
            if (_isSending) return;
            _isSending = true;
        }

        _ = Task.Run(SendAsync);
    }

    private async Task SendAsync()
    {
        while (Next() is { } batch)
        {
            try
            {
                Partition receiver = await sender.Hub.PartitionAsync(destination).ConfigureAwait(false);
                await receiver.ReceiveAsync(sender.Number, sender.Incarnation, batch).ConfigureAwait(false);
                lock (_lock)
                {
                    for (int i = 0; i < batch.Count; i++) _items.Dequeue();
                }

                sender.Acknowledge(batch);
            }
            catch (Exception e) when (e is OutcomeUnknownException or FasterException or ObjectDisposedException)
            {
                // The receiver opens again, and tells by the numbers what it has; or the sender is closed.
                sender.Hub.Log.SendFailed(sender.Number, destination, e);
                await sender.Hub.PauseAsync(RetryPause).ConfigureAwait(false);
            }
        }
    }

    private List<Item>? Next()
    {
        lock (_lock)
        {
            if (_items.Count > 0 && !sender.IsClosed) return [.. _items.Take(MostOfBatch)];
            _isSending = false;
            return null;
        }
    }
}
