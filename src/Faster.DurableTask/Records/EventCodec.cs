using DurableTask.Core;
using DurableTask.Core.History;

namespace Faster.DurableTask.Records;

/// <summary>Events of histories and messages: kind, number, time, and the fields of the kind.</summary>
internal static class EventCodec
{
    /// <summary>Writes an event.</summary>
    /// <exception cref="NotSupportedException">The event is of a kind that this version does not know.</exception>
    public static void Write(RecordWriter record, HistoryEvent history)
    {
        record.Byte((byte)history.EventType);
        record.Number(history.EventId);
        record.Time(history.Timestamp);
        record.Bool(history.IsPlayed);
        switch (history)
        {
            case ExecutionStartedEvent started: WriteStart(record, started); break;
            case ExecutionCompletedEvent completed:
                record.Byte((byte)completed.OrchestrationStatus);
                record.Text(completed.Result);
                PartCodec.Write(record, completed.FailureDetails);
                break;
            case ExecutionTerminatedEvent terminated: record.Text(terminated.Input); break;
            case ExecutionSuspendedEvent suspended: record.Text(suspended.Reason); break;
            case ExecutionResumedEvent resumed: record.Text(resumed.Reason); break;
            case ExecutionRewoundEvent rewound:
                Texts(record, rewound.Reason, rewound.ParentExecutionId, rewound.InstanceId);
                PartCodec.Write(record, rewound.ParentTraceContext);
                break;
            case TaskScheduledEvent scheduled:
                Texts(record, scheduled.Name, scheduled.Version, scheduled.Input);
                PartCodec.Write(record, scheduled.ParentTraceContext);
                record.Tags(scheduled.Tags);
                break;
            case TaskCompletedEvent done: WriteResult(record, done.TaskScheduledId, done.Result); break;
            case TaskFailedEvent failed:
                WriteFailure(record, failed.TaskScheduledId, failed.Reason, failed.Details, failed.FailureDetails);
                break;
            case SubOrchestrationInstanceCreatedEvent created:
                Texts(record, created.Name, created.Version, created.InstanceId);
                Texts(record, created.Input, created.ClientSpanId);
                record.Tags(created.Tags);
                break;
            case SubOrchestrationInstanceCompletedEvent done:
                WriteResult(record, done.TaskScheduledId, done.Result);
                break;
            case SubOrchestrationInstanceFailedEvent failed:
                WriteFailure(record, failed.TaskScheduledId, failed.Reason, failed.Details, failed.FailureDetails);
                break;
            case TimerCreatedEvent timer: record.Time(timer.FireAt); break;
            case TimerFiredEvent timer:
                record.Number(timer.TimerId);
                record.Time(timer.FireAt);
                break;
            case EventSentEvent sent: Texts(record, sent.InstanceId, sent.Name, sent.Input); break;
            case EventRaisedEvent raised:
                Texts(record, raised.Name, raised.Input);
                PartCodec.Write(record, raised.ParentTraceContext);
                break;
            case GenericEvent generic: record.Text(generic.Data); break;
            case HistoryStateEvent state: StateCodec.Write(record, state.State); break;
            case OrchestratorStartedEvent or OrchestratorCompletedEvent: break;
            default: throw new NotSupportedException($"Events of the kind {history.EventType} can't be stored.");
        }
    }

    /// <summary>Reads an event.</summary>
    public static HistoryEvent Read(ref RecordReader record)
    {
        var kind = (EventType)record.Byte();
        int id = record.Int();
        DateTime time = record.Time();
        bool isPlayed = record.Bool();
        HistoryEvent history = Read(ref record, kind, id);
        history.Timestamp = time;
        history.IsPlayed = isPlayed;
        return history;
    }

    private static HistoryEvent Read(ref RecordReader record, EventType kind, int id) => kind switch
    {
        EventType.ExecutionStarted => ReadStart(ref record, id),
        EventType.ExecutionCompleted or EventType.ContinueAsNew => ReadEnd(ref record, kind, id),
        EventType.ExecutionTerminated => new ExecutionTerminatedEvent(id, record.Text()),
        EventType.ExecutionSuspended => new ExecutionSuspendedEvent(id, record.Text()),
        EventType.ExecutionResumed => new ExecutionResumedEvent(id, record.Text()),
        EventType.ExecutionRewound => new ExecutionRewoundEvent(id, record.Text())
        {
            ParentExecutionId = record.Text(), InstanceId = record.Text(),
            ParentTraceContext = PartCodec.ReadTrace(ref record),
        },
        EventType.TaskScheduled => new TaskScheduledEvent(id, record.Text()!, record.Text(), record.Text())
        {
            ParentTraceContext = PartCodec.ReadTrace(ref record), Tags = record.Tags(),
        },
        EventType.TaskCompleted => new TaskCompletedEvent(id, record.Int(), record.Text()),
        EventType.TaskFailed => new TaskFailedEvent(
            id, record.Int(), record.Text(), record.Text(), PartCodec.ReadFailure(ref record)),
        EventType.SubOrchestrationInstanceCreated => new SubOrchestrationInstanceCreatedEvent(id)
        {
            Name = record.Text(), Version = record.Text(), InstanceId = record.Text(), Input = record.Text(),
            ClientSpanId = record.Text(), Tags = record.Tags(),
        },
        EventType.SubOrchestrationInstanceCompleted =>
            new SubOrchestrationInstanceCompletedEvent(id, record.Int(), record.Text()),
        EventType.SubOrchestrationInstanceFailed => new SubOrchestrationInstanceFailedEvent(
            id, record.Int(), record.Text(), record.Text(), PartCodec.ReadFailure(ref record)),
        EventType.TimerCreated => new TimerCreatedEvent(id, record.Time()),
        EventType.TimerFired => new TimerFiredEvent(id) { TimerId = record.Int(), FireAt = record.Time() },
        EventType.EventSent => new EventSentEvent(id)
        {
            InstanceId = record.Text(), Name = record.Text(), Input = record.Text(),
        },
        EventType.EventRaised => ReadRaised(ref record, id),
        EventType.GenericEvent => new GenericEvent(id, record.Text()),
        EventType.HistoryState => new HistoryStateEvent(id, StateCodec.Read(ref record)),
        EventType.OrchestratorStarted => new OrchestratorStartedEvent(id),
        EventType.OrchestratorCompleted => new OrchestratorCompletedEvent(id),
        _ => throw new InvalidDataException($"{(int)kind} is no kind of events."),
    };

    private static void WriteStart(RecordWriter record, ExecutionStartedEvent started)
    {
        PartCodec.Write(record, started.OrchestrationInstance);
        PartCodec.Write(record, started.ParentInstance);
        Texts(record, started.Name, started.Version, started.Input);
        record.Text(started.Correlation);
        record.Tags(started.Tags);
        PartCodec.Write(record, started.ParentTraceContext);
        record.OptionalTime(started.ScheduledStartTime);
        record.Bool(started.Generation.HasValue);
        if (started.Generation is { } generation) record.Number(generation);
        record.Bool(started.GenerateNewTrace);
    }

    private static ExecutionStartedEvent ReadStart(ref RecordReader record, int id) => new(id, input: null)
    {
        OrchestrationInstance = PartCodec.ReadInstance(ref record), ParentInstance = PartCodec.ReadParent(ref record),
        Name = record.Text(), Version = record.Text(), Input = record.Text(), Correlation = record.Text(),
        Tags = record.Tags(), ParentTraceContext = PartCodec.ReadTrace(ref record),
        ScheduledStartTime = record.OptionalTime(), Generation = record.Bool() ? record.Int() : null,
        GenerateNewTrace = record.Bool(),
    };

    private static ExecutionCompletedEvent ReadEnd(ref RecordReader record, EventType kind, int id)
    {
        var status = (OrchestrationStatus)record.Byte();
        string? result = record.Text();
        FailureDetails? failure = PartCodec.ReadFailure(ref record);
        return kind == EventType.ContinueAsNew
            ? new ContinueAsNewEvent(id, result)
            : new ExecutionCompletedEvent(id, result, status, failure);
    }

    private static EventRaisedEvent ReadRaised(ref RecordReader record, int id)
    {
        string? name = record.Text();
        return new EventRaisedEvent(id, record.Text())
        {
            Name = name, ParentTraceContext = PartCodec.ReadTrace(ref record),
        };
    }

    private static void WriteResult(RecordWriter record, int scheduledId, string? result)
    {
        record.Number(scheduledId);
        record.Text(result);
    }

    private static void WriteFailure(
        RecordWriter record, int scheduledId, string? reason, string? details, FailureDetails? failure)
    {
        record.Number(scheduledId);
        Texts(record, reason, details);
        PartCodec.Write(record, failure);
    }

    private static void Texts(RecordWriter record, params ReadOnlySpan<string?> texts)
    {
        foreach (string? text in texts) record.Text(text);
    }
}
