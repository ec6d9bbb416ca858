namespace Faster.Crash.Workloads;

/// <summary>
/// Judges a recovered store: everything that was promised must be there, and nothing but a prefix of each session.
/// </summary>
/// <param name="plan">What the sessions do.</param>
public sealed class Oracle(WorkloadPlan plan)
{
    private readonly Expectation _expectation = new(plan);

    /// <summary>
    /// Judges: every session stands at or beyond every point that was acknowledged, and the store holds exactly the
    /// operations up to where the sessions stand.
    /// </summary>
    /// <param name="store">The recovered store, without operations since.</param>
    /// <param name="acknowledged">The points that were acknowledged before, oldest first.</param>
    /// <param name="points">Where the sessions stand.</param>
    /// <returns>What is wrong, or null.</returns>
    public string? Judge(IWorkStore store, IEnumerable<SessionPoint[]> acknowledged, out SessionPoint[] points)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(acknowledged);
        points = SessionPoint.AllOf(store.Recovered ?? [], plan.Sessions);
        foreach (SessionPoint[] told in acknowledged)
        {
            for (int s = 0; s < plan.Sessions; s++)
            {
                if (!points[s].Includes(told[s]))
                    return $"Session {s} was told {told[s]}, but {points[s]} was recovered.";
            }
        }

        for (int s = 0; s < plan.Sessions; s++)
        {
            using IWorkSession session = store.Start(WorkloadPlan.NameOf(s));
            if (session.SerialNumber != points[s].Serial || !session.Recovered.Equals(points[s]))
            {
                return $"Session {s} continues after {session.SerialNumber} and is told {session.Recovered}, "
                    + $"but the commit says {points[s]}.";
            }
        }

        return Compare(store, points);
    }

    /// <summary>Whether a store holds exactly the operations up to some points.</summary>
    /// <returns>What is wrong, or null.</returns>
    public string? Compare(IWorkStore store, IReadOnlyList<SessionPoint> points)
    {
        ArgumentNullException.ThrowIfNull(store);
        using IWorkSession reader = store.Start(null);
        return _expectation.Compare(points, reader.Read);
    }
}
