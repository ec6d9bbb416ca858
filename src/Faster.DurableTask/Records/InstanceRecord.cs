using DurableTask.Core;
using DurableTask.Core.History;

namespace Faster.DurableTask.Records;

/// <summary>An instance: its state and how many chunks of history there are. Immutable.</summary>
/// <param name="State">The state, as clients see it; not to be changed.</param>
/// <param name="ExecutionId">The execution to which the history belongs; null before the first one runs.</param>
/// <param name="Chunks">The number of chunks.</param>
internal sealed record InstanceRecord(OrchestrationState State, string? ExecutionId, int Chunks)
{
    /// <summary>Whether the instance has ended.</summary>
    public bool IsOver => Ends(State);

    /// <summary>Whether its start waits, at once or for its time.</summary>
    public bool IsPending => State.OrchestrationStatus == OrchestrationStatus.Pending;

    /// <summary>Whether an instance in a state has ended.</summary>
    public static bool Ends(OrchestrationState state) => state.OrchestrationStatus
        is OrchestrationStatus.Completed or OrchestrationStatus.Failed or OrchestrationStatus.Terminated
        or OrchestrationStatus.Canceled;

    public byte[] Encode(RecordWriter record)
    {
        record.Begin();
        record.Text(ExecutionId);
        record.Number(Chunks);
        StateCodec.Write(record, State);
        return record.ToArray();
    }

    public static InstanceRecord Decode(ReadOnlySpan<byte> bytes)
    {
        RecordReader record = new(bytes);
        string? execution = record.Text();
        int chunks = record.Int();
        OrchestrationState state = StateCodec.Read(ref record)
            ?? throw new InvalidDataException("An instance has no state.");
        return new InstanceRecord(state, execution, chunks);
    }

    /// <summary>Writes a chunk of history.</summary>
    public static byte[] EncodeChunk(RecordWriter record, ICollection<HistoryEvent> events)
    {
        record.Begin();
        record.Count((ulong)events.Count + 1);
        foreach (HistoryEvent history in events) EventCodec.Write(record, history);
        return record.ToArray();
    }

    /// <summary>Appends the events of a chunk to a list.</summary>
    public static void DecodeChunk(ReadOnlySpan<byte> bytes, List<HistoryEvent> events)
    {
        RecordReader record = new(bytes);
        int count = record.ListLength();
        for (int i = 0; i < count; i++) events.Add(EventCodec.Read(ref record));
    }
}
