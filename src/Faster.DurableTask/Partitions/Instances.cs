using System.Diagnostics.CodeAnalysis;

namespace Faster.DurableTask.Partitions;

/// <summary>
/// The instances of a partition that are in memory. Those in use stay; live ones that are idle stay until there are too
/// many, the longest idle first; finished ones leave.
/// </summary>
/// <remarks>
/// Guarded by the partition's gate. An instance leaves only when its last step is durable, so one that is loaded again
/// is known to be durable.
/// </remarks>
internal sealed class Instances(Partition partition, int limit)
{
    private readonly Dictionary<string, Instance> _all = [];
    private readonly LinkedList<Instance> _idle = [];
    private readonly Queue<Instance> _leaving = new();

    /// <summary>How many are in memory.</summary>
    public int Count => _all.Count;

    /// <summary>
    /// Finds an instance in memory, or adds one that is not loaded, for a caller that needs it: it is not idle then.
    /// </summary>
    public Instance Get(string id)
    {
        if (_all.TryGetValue(id, out Instance? instance))
        {
            if (instance.Idle is not null) _idle.Remove(instance.Idle);
            instance.Idle = null;
            return instance;
        }

        instance = new Instance(partition, id);
        _all.Add(id, instance);
        return instance;
    }

    /// <summary>Finds an instance in memory.</summary>
    public bool TryGet(string id, [NotNullWhen(true)] out Instance? instance) => _all.TryGetValue(id, out instance);

    /// <summary>Keeps an instance in memory for a caller.</summary>
    public Instance Pin(string id)
    {
        Instance instance = Get(id);
        instance.Pins++;
        return instance;
    }

    /// <summary>Ends a pin.</summary>
    public void Unpin(Instance instance)
    {
        instance.Pins--;
        Settle(instance);
    }

    /// <summary>Lets an instance leave, or be idle, if nothing needs it.</summary>
    public void Settle(Instance instance)
    {
        if (instance.Idle is not null || IsNeeded(instance)) return;
        if (instance.Record is null || instance.Record.IsOver || limit == 0)
        {
            if (instance.LastStep <= partition.Durable) _all.Remove(instance.Id);
            else _leaving.Enqueue(instance);
            return;
        }

        instance.Idle = _idle.AddLast(instance);
        while (_idle.Count > limit && _idle.First!.Value is var oldest && oldest.LastStep <= partition.Durable)
        {
            _idle.RemoveFirst();
            oldest.Idle = null;
            _all.Remove(oldest.Id);
        }
    }

    /// <summary>Lets instances leave whose last step has become durable.</summary>
    public void OnDurable()
    {
        for (int left = _leaving.Count; left > 0 && _leaving.TryPeek(out Instance? first)
            && (IsNeeded(first) || first.LastStep <= partition.Durable); left--)
        {
            _leaving.Dequeue();
            if (_all.TryGetValue(first.Id, out Instance? known) && ReferenceEquals(known, first)) Settle(first);
        }
    }

    private static bool IsNeeded(Instance instance) => instance.Pins > 0 || instance.IsLocked || instance.IsQueued
        || instance.Inbox.Count > 0;
}
