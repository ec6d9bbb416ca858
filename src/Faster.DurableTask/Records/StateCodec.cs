using DurableTask.Core;

namespace Faster.DurableTask.Records;

/// <summary>The state of an instance, as clients see it; or null.</summary>
internal static class StateCodec
{
    public static void Write(RecordWriter record, OrchestrationState? state)
    {
        record.Bool(state is not null);
        if (state is null) return;
        PartCodec.Write(record, state.OrchestrationInstance);
        PartCodec.Write(record, state.ParentInstance);
        record.Text(state.Name);
        record.Text(state.Version);
        record.Text(state.Status);
        record.Tags(state.Tags);
        record.Byte((byte)state.OrchestrationStatus);
        record.Time(state.CreatedTime);
        record.Time(state.CompletedTime);
        record.Time(state.LastUpdatedTime);
        record.Number(state.Size);
        record.Number(state.CompressedSize);
        record.Text(state.Input);
        record.Text(state.Output);
        record.OptionalTime(state.ScheduledStartTime);
        record.Bool(state.Generation.HasValue);
        if (state.Generation is { } generation) record.Number(generation);
        PartCodec.Write(record, state.FailureDetails);
    }

    public static OrchestrationState? Read(ref RecordReader record) => !record.Bool() ? null : new OrchestrationState
    {
        OrchestrationInstance = PartCodec.ReadInstance(ref record), ParentInstance = PartCodec.ReadParent(ref record),
        Name = record.Text(), Version = record.Text(), Status = record.Text(), Tags = record.Tags(),
        OrchestrationStatus = (OrchestrationStatus)record.Byte(), CreatedTime = record.Time(),
        CompletedTime = record.Time(), LastUpdatedTime = record.Time(), Size = record.Number(),
        CompressedSize = record.Number(), Input = record.Text(), Output = record.Text(),
        ScheduledStartTime = record.OptionalTime(), Generation = record.Bool() ? record.Int() : null,
        FailureDetails = PartCodec.ReadFailure(ref record),
    };
}
