namespace Faster.DurableTask.Records;

/// <summary>What waits in a slot.</summary>
internal enum ItemKind : byte
{
    /// <summary>A message for an instance of the partition.</summary>
    Message = 1,

    /// <summary>An activity to run.</summary>
    Activity = 2,

    /// <summary>A message with a time at which it arrives.</summary>
    Timer = 3,

    /// <summary>A message for an instance of another partition, until that has acknowledged it.</summary>
    Outgoing = 4,
}
