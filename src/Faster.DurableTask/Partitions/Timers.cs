using Faster.DurableTask.Records;

namespace Faster.DurableTask.Partitions;

/// <summary>What is due at a time, and the alarm for the first of it.</summary>
/// <remarks>All but the alarm's call is guarded by the partition's gate.</remarks>
internal sealed class Timers(TimeProvider clock, Action alarm) : IDisposable
{
    private static readonly TimeSpan Longest = TimeSpan.FromDays(20); // a timer of .NET takes less than 50

    private readonly PriorityQueue<Item, (DateTime Due, long Sequence)> _items = new();
    private readonly Dictionary<string, List<Item>> _of = [];
    private ITimer? _alarm;
    private DateTime _armed = DateTime.MaxValue;

    /// <summary>How many wait; those that were taken back are counted until they would have been due.</summary>
    public int Count => _items.Count;

    /// <summary>Adds what is due at a time.</summary>
    public void Add(Item item, DateTime now)
    {
        _items.Enqueue(item, (item.Due, item.Sequence));
        string id = item.Message.OrchestrationInstance.InstanceId;
        if (!_of.TryGetValue(id, out List<Item>? own)) _of.Add(id, own = []);
        own.Add(item);
        if (item.Due < _armed) Arm(now);
    }

    /// <summary>Takes what is due, at most as many as asked for.</summary>
    public List<Item> Take(DateTime now, int most)
    {
        List<Item> due = [];
        while (due.Count < most && _items.TryPeek(out Item? item, out (DateTime Due, long) first)
            && (item.IsDone || first.Due <= now))
        {
            _items.Dequeue();
            if (!item.IsDone) due.Add(item);
        }

        return due;
    }

    /// <summary>What waits for an instance.</summary>
    public IReadOnlyList<Item> Of(string id) => _of.TryGetValue(id, out List<Item>? own) ? own : [];

    /// <summary>Forgets an item that is done.</summary>
    public void Remove(Item item)
    {
        string id = item.Message.OrchestrationInstance.InstanceId;
        if (_of.TryGetValue(id, out List<Item>? own) && own.Remove(item) && own.Count == 0) _of.Remove(id);
    }

    /// <summary>Sets the alarm for the first that is due.</summary>
    public void Arm(DateTime now)
    {
        _armed = DateTime.MaxValue;
        if (!_items.TryPeek(out _, out (DateTime Due, long) first)) return;
        _armed = first.Due;
        TimeSpan left = first.Due > now ? first.Due - now : TimeSpan.Zero;
        // A whole number of milliseconds, upwards: too early, and the alarm would go off again and again.
        left = left > Longest ? Longest : TimeSpan.FromMilliseconds(Math.Ceiling(left.TotalMilliseconds));
        _alarm ??= clock.CreateTimer(_ => alarm(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _alarm.Change(left, Timeout.InfiniteTimeSpan);
    }

    /// <inheritdoc/>
    public void Dispose() => _alarm?.Dispose();
}
