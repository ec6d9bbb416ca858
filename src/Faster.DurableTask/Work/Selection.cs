using DurableTask.Core;
using DurableTask.Core.History;
using Faster.DurableTask.Records;

namespace Faster.DurableTask.Work;

/// <summary>Selects from an inbox the messages that an instance's work item has.</summary>
internal static class Selection
{
    /// <summary>
    /// Selects messages. Those that are not selected are consumed with them, unless the verdict is to wait.
    /// </summary>
    /// <param name="id">The instance's id.</param>
    /// <param name="record">Its record, or null.</param>
    /// <param name="inbox">The messages in order of arrival.</param>
    /// <param name="selected">Receives those for the work item.</param>
    public static Verdict From(string id, InstanceRecord? record, List<Item> inbox, List<TaskMessage> selected)
    {
        if (record is { IsOver: false, IsPending: false }) return Running(record, inbox, selected);
        int start = inbox.FindIndex(static item => item.Message.Event is ExecutionStartedEvent);
        if (start >= 0)
        {
            AddStart(inbox, start, selected);
            return Verdict.Start;
        }

        if (record is { IsPending: true })
        {
            return inbox.Exists(static item => item.Message.Event is ExecutionTerminatedEvent)
                ? Verdict.Cancel
                : Verdict.Wait;
        }

        if (record is not null) return Rewind(inbox, selected);
        selected.AddRange(inbox.Select(static item => item.Message).Where(static message =>
            message.Event is EventRaisedEvent && message.OrchestrationInstance.ExecutionId is null));
        return selected.Count > 0 && global::DurableTask.Core.Common.Entities.AutoStart(id, selected)
            ? Verdict.Start
            : Verdict.Drop;
    }

    private static Verdict Running(InstanceRecord record, List<Item> inbox, List<TaskMessage> selected)
    {
        foreach (Item item in inbox)
        {
            if (item.Message.Event is not ExecutionStartedEvent && IsFor(record.ExecutionId, item.Message))
                selected.Add(item.Message);
        }

        return selected.Count > 0 ? Verdict.Continue : Verdict.Drop;
    }

    // What arrived before it came while it was waiting for its time.
    private static void AddStart(List<Item> inbox, int start, List<TaskMessage> selected)
    {
        string? execution = inbox[start].Message.OrchestrationInstance.ExecutionId;
        selected.Add(inbox[start].Message);
        selected.AddRange(inbox.Select(static item => item.Message)
            .Where(message => message.Event is not ExecutionStartedEvent && IsFor(execution, message)));
    }

    private static Verdict Rewind(List<Item> inbox, List<TaskMessage> selected)
    {
        if (inbox.Find(static item => item.Message.Event is ExecutionRewoundEvent) is not { } rewind)
            return Verdict.Drop;
        selected.Add(rewind.Message);
        return Verdict.Continue;
    }

    private static bool IsFor(string? execution, TaskMessage message) =>
        message.OrchestrationInstance.ExecutionId is not { } wanted || execution is null || wanted == execution;
}
