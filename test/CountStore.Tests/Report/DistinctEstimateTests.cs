using CountStore.Report;

namespace CountStore.Tests.Report;

public class DistinctEstimateTests
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(10, 0.01)]
    [InlineData(1_000, 0.03)]
    [InlineData(30_000, 0.03)]
    [InlineData(300_000, 0.03)]
    public void The_estimate_is_near_and_repeats_do_not_count(int keys, double error)
    {
        DistinctEstimate estimate = new();
        for (int round = 0; round < 2; round++)
        {
            for (int key = 0; key < keys; key++) estimate.Add(BitConverter.GetBytes((ulong)key));
        }

        Assert.InRange(estimate.Count(), keys * (1 - error), keys * (1 + error));
    }
}
