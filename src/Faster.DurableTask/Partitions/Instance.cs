using Faster.DurableTask.Records;
using Faster.DurableTask.Work;

namespace Faster.DurableTask.Partitions;

/// <summary>An instance in memory: because something waits for it, because it runs, or as a cache.</summary>
/// <remarks>Guarded by the gate of its partition.</remarks>
internal sealed class Instance(Partition partition, string id)
{
    public Partition Partition => partition;

    public string Id => id;

    public bool IsEntity { get; } = global::DurableTask.Core.Common.Entities.IsEntityInstance(id);

    /// <summary>The messages that wait, in order of arrival.</summary>
    public List<Item> Inbox { get; } = [];

    /// <summary>Whether <see cref="Record"/> is what the store has.</summary>
    public bool IsLoaded { get; set; }

    /// <summary>The record; null if there is none, or it is not loaded.</summary>
    public InstanceRecord? Record { get; set; }

    /// <summary>Counts the records that took the place of a live or finished one: a start, or a purge.</summary>
    public int Epoch { get; set; }

    /// <summary>The step that has written the record last, while it may not be durable.</summary>
    public long LastStep { get; set; }

    /// <summary>Whether a work item of it is with a dispatcher.</summary>
    public bool IsLocked { get; set; }

    /// <summary>Whether it is in a queue of the hub.</summary>
    public bool IsQueued { get; set; }

    /// <summary>Whether its messages wait for a scheduled start.</summary>
    public bool WaitsForStart { get; set; }

    /// <summary>How many callers need it in memory.</summary>
    public int Pins { get; set; }

    /// <summary>How often in a row its work items were abandoned.</summary>
    public int Abandoned { get; set; }

    /// <summary>The work item that can be continued without a replay, if there is one.</summary>
    public OrchestrationWork? Work { get; set; }

    /// <summary>Its place among the idle instances, if it is one.</summary>
    public LinkedListNode<Instance>? Idle { get; set; }

    /// <summary>The key of its record.</summary>
    public string Key { get; } = KeyOf(id);

    /// <summary>The key of an instance's record.</summary>
    public static string KeyOf(string id) => "i/" + id;

    /// <summary>The key of a chunk of its history.</summary>
    public string ChunkKey(int chunk) => $"h/{id}/{chunk}";

    /// <summary>Ends what was known about an execution that another record has taken the place of.</summary>
    public void Replace()
    {
        Epoch++;
        Work = null;
        WaitsForStart = false;
    }
}
