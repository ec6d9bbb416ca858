namespace Faster.Crash.Workloads;

/// <summary>
/// What a session of a store whose every operation is durable was told, as the point that a recovery must include.
/// Reads never belong to it: they leave no record, so a recovery may list their numbers as lost.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="plan">What the sessions do.</param>
/// <param name="session">The session's index.</param>
/// <param name="begin">Where it begins.</param>
public sealed class AcknowledgedSteps(WorkloadPlan plan, int session, SessionPoint begin)
{
    private readonly List<long> _reads = [.. begin.Excluded]; // and what was left out from the beginning
    private readonly SortedSet<long> _waiting = [];
    private long _last = begin.Serial;

    /// <summary>Notes a step that was issued.</summary>
    /// <param name="step">The step.</param>
    /// <param name="isDone">Whether it is acknowledged; false: it waits.</param>
    public void Add(Step step, bool isDone)
    {
        ArgumentNullException.ThrowIfNull(step);
        if (step.Kind == StepKind.Read) _reads.Add(step.Number);
        else if (isDone) _last = step.Number;
        else _waiting.Add(step.Number);
    }

    /// <summary>All that waited are acknowledged.</summary>
    public void AddWaiting()
    {
        _last = Math.Max(_last, _waiting.Max);
        _waiting.Clear();
    }

    /// <summary>The points of all sessions; of the others nothing.</summary>
    public SessionPoint[] ToPoints()
    {
        SessionPoint[] points = [.. Enumerable.Repeat(SessionPoint.None, plan.Sessions)];
        long[] excluded = [.. _reads.Concat(_waiting).Where(number => number <= _last).Order()];
        points[session] = new SessionPoint(_last, excluded);
        return points;
    }
}
