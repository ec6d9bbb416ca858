using DurableTask.Core;
using DurableTask.Core.History;
using Faster.DurableTask.Records;

namespace Faster.DurableTask.Work;

/// <summary>Tags of orchestrations and activities.</summary>
internal static class Tagging
{
    /// <summary>No tags are null.</summary>
    public static IDictionary<string, string>? OrNull(IDictionary<string, string>? tags) =>
        tags is { Count: > 0 } ? tags : null;

    /// <summary>An activity's message, whose context has the tags of its orchestration and then its own.</summary>
    public static TaskMessage OfActivity(TaskMessage message)
    {
        if (message.Event is not TaskScheduledEvent { Tags: { Count: > 0 } own }) return message;
        Dictionary<string, string> all = new(
            message.OrchestrationExecutionContext?.OrchestrationTags ?? new Dictionary<string, string>());
        foreach ((string key, string value) in own) all[key] = value;
        return new TaskMessage
        {
            Event = message.Event, SequenceNumber = message.SequenceNumber,
            OrchestrationInstance = message.OrchestrationInstance,
            OrchestrationExecutionContext = MessageCodec.Context(all),
        };
    }
}
