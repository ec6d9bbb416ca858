namespace Faster.DurableTask.Partitions;

/// <summary>The store of a partition: docs/formats/durable-host.md lists its keys and values.</summary>
[Store(Key = typeof(string), Value = typeof(byte[]))]
internal static partial class PartitionStore
{
    /// <summary>The name of the one session that writes.</summary>
    public const string Writer = "partition";
}
