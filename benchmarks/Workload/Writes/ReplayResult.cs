using Faster.Workload.Experiments;

namespace Faster.Workload.Writes;

/// <summary>
/// One opening of a store whose process ended without closing it, by a process that had not opened it before. All
/// values were checked after it.
/// </summary>
internal sealed record ReplayResult : StepResult
{
    /// <summary>The bytes of keys and values that were acknowledged.</summary>
    public required long WrittenBytes { get; init; }

    /// <summary>The time until the store answered.</summary>
    public required double RecoverySeconds { get; init; }

    /// <summary>How many values were checked afterwards.</summary>
    public required long Checked { get; init; }
}
