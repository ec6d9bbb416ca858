using DurableTask.Core;

namespace Faster.DurableTask.Records;

/// <summary>One thing that waits, in the slot that makes it durable.</summary>
/// <remarks>
/// What is stored never changes: another kind or sequence in the same slot is another item. The rest is guarded by the
/// partition's gate.
/// </remarks>
internal sealed class Item
{
    public required int Slot { get; init; }

    public required ItemKind Kind { get; init; }

    /// <summary>The order of arrival in the partition.</summary>
    public required long Sequence { get; init; }

    public required TaskMessage Message { get; init; }

    /// <summary>When a timer is due.</summary>
    public DateTime Due { get; init; }

    /// <summary>The partition that an outgoing message is for.</summary>
    public int Destination { get; init; }

    /// <summary>The number of an outgoing message among all of its sender to its destination.</summary>
    public long Number { get; init; }

    /// <summary>Whether the slot has been emptied or holds another item.</summary>
    public bool IsDone { get; set; }

    /// <summary>How often an activity has been handed out since the partition was opened.</summary>
    public int Attempts { get; set; }

    /// <summary>Writes the item as a record.</summary>
    public byte[] Encode(RecordWriter record)
    {
        record.Begin();
        record.Byte((byte)Kind);
        record.Number(Sequence);
        if (Kind == ItemKind.Timer) record.Time(Due);
        if (Kind == ItemKind.Outgoing)
        {
            record.Number(Destination);
            record.Number(Number);
        }

        MessageCodec.Write(record, Message);
        return record.ToArray();
    }

    /// <summary>Reads an item.</summary>
    /// <exception cref="FasterException">It has a format that is not known.</exception>
    public static Item Decode(int slot, ReadOnlySpan<byte> bytes)
    {
        RecordReader record = new(bytes);
        var kind = (ItemKind)record.Byte();
        if (kind is < ItemKind.Message or > ItemKind.Outgoing)
            throw new InvalidDataException($"{(int)kind} is no kind of items.");
        Item item = new()
        {
            Slot = slot, Kind = kind, Sequence = record.Number(),
            Due = kind == ItemKind.Timer ? record.Time() : default,
            Destination = kind == ItemKind.Outgoing ? record.Int() : 0,
            Number = kind == ItemKind.Outgoing ? record.Number() : 0, Message = MessageCodec.Read(ref record),
        };
        if (item.Message.OrchestrationInstance?.InstanceId is null)
            throw new InvalidDataException("A message names no instance.");
        return item;
    }
}
