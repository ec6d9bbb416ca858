using DurableTask.Core;
using DurableTask.Core.Tracing;
using Newtonsoft.Json;

namespace Faster.DurableTask.Records;

/// <summary>Parts that several records have; each may be null.</summary>
internal static class PartCodec
{
    public static void Write(RecordWriter record, OrchestrationInstance? instance)
    {
        record.Bool(instance is not null);
        if (instance is null) return;
        record.Text(instance.InstanceId);
        record.Text(instance.ExecutionId);
    }

    public static OrchestrationInstance? ReadInstance(ref RecordReader record) => !record.Bool() ? null
        : new OrchestrationInstance { InstanceId = record.Text(), ExecutionId = record.Text() };

    public static void Write(RecordWriter record, ParentInstance? parent)
    {
        record.Bool(parent is not null);
        if (parent is null) return;
        Write(record, parent.OrchestrationInstance);
        record.Text(parent.Name);
        record.Text(parent.Version);
        record.Number(parent.TaskScheduleId);
    }

    public static ParentInstance? ReadParent(ref RecordReader record) => !record.Bool() ? null : new ParentInstance
    {
        OrchestrationInstance = ReadInstance(ref record), Name = record.Text(), Version = record.Text(),
        TaskScheduleId = record.Int(),
    };

    public static void Write(RecordWriter record, DistributedTraceContext? trace)
    {
        record.Bool(trace is not null);
        if (trace is null) return;
        record.Text(trace.TraceParent);
        record.Text(trace.TraceState);
        record.Text(trace.Id);
        record.Text(trace.SpanId);
        record.Bool(trace.ActivityStartTime.HasValue);
        if (trace.ActivityStartTime is not { } start) return;
        record.Time(start.DateTime);
        record.Number((long)start.Offset.TotalMinutes);
    }

    public static DistributedTraceContext? ReadTrace(ref RecordReader record) => !record.Bool() ? null
        : new DistributedTraceContext(record.Text()!, record.Text())
        {
            Id = record.Text(), SpanId = record.Text(),
            ActivityStartTime = record.Bool()
                ? new DateTimeOffset(record.Time(), TimeSpan.FromMinutes(record.Int()))
                : null,
        };

    public static void Write(RecordWriter record, FailureDetails? failure)
    {
        record.Bool(failure is not null);
        if (failure is null) return;
        record.Text(failure.ErrorType);
        record.Text(failure.ErrorMessage);
        record.Text(failure.StackTrace);
        record.Bool(failure.IsNonRetriable);
        record.Text(failure.Properties is null ? null : JsonConvert.SerializeObject(failure.Properties));
        Write(record, failure.InnerFailure);
    }

    public static FailureDetails? ReadFailure(ref RecordReader record)
    {
        if (!record.Bool()) return null;
        string? type = record.Text(), message = record.Text(), stack = record.Text();
        bool isNonRetriable = record.Bool();
        Dictionary<string, object?>? properties = record.Text() is { } json
            ? JsonConvert.DeserializeObject<Dictionary<string, object?>>(json)
            : null;
        return new FailureDetails(type!, message!, stack, ReadFailure(ref record), isNonRetriable, properties);
    }
}
