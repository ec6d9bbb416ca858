using DurableTask.Core;

namespace Faster.DurableTask.Work;

/// <summary>Copies states, so that what a client changes does not change what the partition has.</summary>
internal static class StateCopy
{
    /// <summary>A copy; what it refers to is shared.</summary>
    public static OrchestrationState Of(OrchestrationState state) => new()
    {
        OrchestrationInstance = state.OrchestrationInstance, ParentInstance = state.ParentInstance, Name = state.Name,
        Version = state.Version, Status = state.Status, Tags = state.Tags,
        OrchestrationStatus = state.OrchestrationStatus, CreatedTime = state.CreatedTime,
        CompletedTime = state.CompletedTime, LastUpdatedTime = state.LastUpdatedTime, Size = state.Size,
        CompressedSize = state.CompressedSize, Input = state.Input, Output = state.Output,
        ScheduledStartTime = state.ScheduledStartTime, Generation = state.Generation,
        FailureDetails = state.FailureDetails,
    };
}
