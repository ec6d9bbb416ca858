using Faster.Crash.Workloads;

namespace Faster.Crash.OracleTests;

/// <summary>The oracle finds each single operation that is missing or too many.</summary>
public sealed class ExpectationTests
{
    private static readonly SessionPoint[] Points = [new(70, []), new(64, []), new(81, [])];

    [Theory, InlineData(false), InlineData(true)]
    public void Exactly_the_operations_up_to_the_points_are_accepted(bool bytes)
    {
        var plan = new WorkloadPlan { Seed = 3, Bytes = bytes };
        Assert.Null(new Expectation(plan).Compare(Points, Reader(plan, Points, _ => true)));
    }

    [Theory, InlineData(false), InlineData(true)]
    public void Every_missing_update_of_a_shared_key_is_seen(bool bytes)
    {
        var plan = new WorkloadPlan { Seed = 3, Bytes = bytes };
        int seen = 0;
        foreach (Step lost in Steps(plan, Points).Where(s => Adds(s) && s.Key < plan.SharedKeys))
        {
            Assert.NotNull(new Expectation(plan).Compare(Points, Reader(plan, Points, s => !IsSame(s, lost))));
            seen++;
        }

        Assert.True(seen > 50);
    }

    [Theory, InlineData(false), InlineData(true)]
    public void Every_update_after_a_point_is_seen(bool bytes)
    {
        var plan = new WorkloadPlan { Seed = 3, Bytes = bytes };
        int seen = 0;
        for (int session = 0; session < plan.Sessions; session++)
        {
            for (long further = 1; further < 30; further++)
            {
                SessionPoint[] beyond = [.. Points];
                beyond[session] = new SessionPoint(Points[session].Serial + further, []);
                Step last = plan.StepOf(session, beyond[session].Serial);
                if (!Adds(last) || last.Key >= plan.SharedKeys) continue;
                Assert.NotNull(new Expectation(plan).Compare(Points, Reader(plan, beyond, _ => true)));
                seen++;
            }
        }

        Assert.True(seen > 10);
    }

    [Fact]
    public void Operations_that_a_relaxed_point_excludes_must_be_left_out()
    {
        var plan = new WorkloadPlan { Seed = 3 };
        Step pending = Steps(plan, Points)
            .Last(s => s.Session == 0 && Adds(s) && s.Key < plan.SharedKeys);
        SessionPoint[] relaxed = [Points[0] with { Excluded = [pending.Number] }, Points[1], Points[2]];
        Assert.NotNull(new Expectation(plan).Compare(relaxed, Reader(plan, Points, _ => true)));
        Assert.Null(new Expectation(plan).Compare(relaxed, Reader(plan, Points, s => !IsSame(s, pending))));
        Assert.False(relaxed[0].Includes(Points[0]));
        Assert.True(Points[0].Includes(relaxed[0]));
    }

    [Fact]
    public void Points_are_read_as_they_are_written()
    {
        SessionPoint[] points = [new(70, [3, 66]), SessionPoint.None];
        Assert.Equal(points, SessionPoint.Parse(SessionPoint.Format(points)));
    }

    private static bool Adds(Step step) => step.Kind is StepKind.Add or StepKind.AwaitedAdd or StepKind.Unit;

    private static bool IsSame(Step a, Step b) => a.Session == b.Session && a.Number == b.Number;

    // The steps of the sessions in turn, without some.
    private static Func<int, byte[]?> Reader(WorkloadPlan plan, SessionPoint[] points, Func<Step, bool> keeps)
    {
        var values = new Dictionary<int, byte[]>();
        var expectation = new Expectation(plan);
        foreach (Step step in Steps(plan, points).Where(keeps)) expectation.Apply(step, values);
        return key => values.GetValueOrDefault(key);
    }

    private static IEnumerable<Step> Steps(WorkloadPlan plan, SessionPoint[] points) =>
        Enumerable.Range(1, (int)points.Max(p => p.Serial)).SelectMany(number => Enumerable.Range(0, plan.Sessions)
            .Where(session => number <= points[session].Serial)
            .Select(session => plan.StepOf(session, number)));
}
