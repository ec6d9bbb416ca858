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

    /// <summary>Scans each commit that can be scanned, and compares it with the operations up to its points.</summary>
    /// <returns>What is wrong, or null.</returns>
    public async Task<string?> ScanAllAsync(IWorkStore store)
    {
        ArgumentNullException.ThrowIfNull(store);
        foreach (Commit commit in store.Scannable)
        {
            var scan = new CommitScan(store, commit);
            await using (scan.ConfigureAwait(false))
            {
                string? wrong = Compare(commit, await scan.EndAsync().ConfigureAwait(false));
                if (wrong is not null) return wrong;
            }
        }

        return null;
    }

    /// <summary>Whether a scan has found exactly the operations up to a commit's points.</summary>
    /// <returns>What is wrong, or null.</returns>
    public string? Compare(Commit commit, IReadOnlyDictionary<int, byte[]> found)
    {
        ArgumentNullException.ThrowIfNull(commit);
        ArgumentNullException.ThrowIfNull(found);
        string? wrong =
            _expectation.Compare(SessionPoint.AllOf(commit.Points, plan.Sessions), key => found.GetValueOrDefault(key));
        return wrong is null ? null : $"As of commit {commit.Version}: {wrong}";
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
