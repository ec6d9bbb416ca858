using System.Runtime.CompilerServices;
using DurableTask.Core;

namespace Faster.DurableTask.Records;

/// <summary>Messages to instances, and activities.</summary>
internal static class MessageCodec
{
    public static void Write(RecordWriter record, TaskMessage message)
    {
        PartCodec.Write(record, message.OrchestrationInstance);
        record.Number(message.SequenceNumber);
        record.Bool(message.OrchestrationExecutionContext is not null);
        if (message.OrchestrationExecutionContext is { } context) record.Tags(context.OrchestrationTags);
        EventCodec.Write(record, message.Event);
    }

    public static TaskMessage Read(ref RecordReader record) => new()
    {
        OrchestrationInstance = PartCodec.ReadInstance(ref record), SequenceNumber = record.Number(),
        OrchestrationExecutionContext = record.Bool() ? Context(record.Tags()) : null,
        Event = EventCodec.Read(ref record),
    };

    /// <summary>The context of an activity with the tags of its orchestration.</summary>
    public static OrchestrationExecutionContext Context(IDictionary<string, string>? tags)
    {
        OrchestrationExecutionContext context = new();
        SetTags(context, tags ?? new Dictionary<string, string>());
        return context;
    }

    // DurableTask sets the tags itself, where it makes the message, and leaves no other way.
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "set_OrchestrationTags")]
    private static extern void SetTags(OrchestrationExecutionContext context, IDictionary<string, string> tags);
}
