using Faster.DurableTask.Records;

namespace Faster.DurableTask.Partitions;

/// <summary>
/// One step of a partition while it is computed: what it writes, and what happens when that is written, and when it is
/// durable. A step that throws before it is issued leaves no trace.
/// </summary>
/// <remarks>Belongs to the partition's gate until it is issued.</remarks>
internal sealed class Step(long number, DateTime now)
{
    private List<Action>? _applied, _durable;
    private Dictionary<int, PeerRecord>? _peers;

    /// <summary>The step's number, which is the serial number of its unit.</summary>
    public long Number => number;

    /// <summary>The step's time.</summary>
    public DateTime Now => now;

    /// <summary>The keys and values to write, in order; null deletes.</summary>
    public List<(string Key, byte[]? Value)> Writes { get; } = new(8);

    /// <summary>Whether the header is written though nothing else is.</summary>
    public bool IsForced { get; set; }

    /// <summary>How many slots the step has taken.</summary>
    public int SlotsTaken { get; set; }

    /// <summary>How many arrivals it has numbered.</summary>
    public int Arrivals { get; set; }

    /// <summary>What the step changes of what is known of other partitions.</summary>
    public IEnumerable<KeyValuePair<int, PeerRecord>> Peers => _peers ?? [];

    /// <summary>Changes what is known of another partition.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="before">What was known before the step.</param>
    /// <param name="change">The change.</param>
    /// <returns>What is known then.</returns>
    public PeerRecord Change(int number, PeerRecord before, Func<PeerRecord, PeerRecord> change)
    {
        _peers ??= [];
        return _peers[number] = change(_peers.TryGetValue(number, out PeerRecord known) ? known : before);
    }

    /// <summary>Writes a key.</summary>
    public void Set(string key, byte[] value) => Writes.Add((key, value));

    /// <summary>Deletes a key.</summary>
    public void Delete(string key) => Writes.Add((key, null));

    /// <summary>Changes what the partition has in memory, when the step is written; under the gate.</summary>
    public void OnApplied(Action action) => (_applied ??= []).Add(action);

    /// <summary>Lets something leave the partition, when the step is durable; outside of the gate.</summary>
    public void OnDurable(Action action) => (_durable ??= []).Add(action);

    /// <summary>Applies the step.</summary>
    public void Apply()
    {
        if (_applied is null) return;
        foreach (Action action in _applied) action();
    }

    /// <summary>What waits for the step to be durable, or null.</summary>
    public List<Action>? Outputs => _durable;
}
