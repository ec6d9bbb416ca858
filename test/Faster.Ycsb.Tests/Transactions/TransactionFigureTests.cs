using System.Diagnostics;
using Faster.Workload.Experiments;
using Faster.Workload.Experiments.Transactions;

namespace Faster.Ycsb.Tests.Transactions;

/// <summary>What is calculated from measured transactions.</summary>
public class TransactionFigureTests
{
    [Fact]
    public void The_interval_of_a_median_is_that_of_the_order()
    {
        IEnumerable<double> many = Enumerable.Range(1, 101).Select(i => (double)i).Reverse();
        Assert.Equal(new MedianInterval(41, 51, 61), MedianInterval.Of(many));
        Assert.Equal(new MedianInterval(1, 2, 3), MedianInterval.Of([3, 1, 2]));
        Assert.Equal(new MedianInterval(7, 7, 7), MedianInterval.Of([7]));
        Assert.Throws<ArgumentException>(() => MedianInterval.Of([]));
    }

    [Fact]
    public void Conflicts_cost_what_refused_transactions_take_longer_than_others()
    {
        var costs = new ConflictCosts();
        Assert.Equal(0, costs.SecondsPerTransaction);
        for (int i = 0; i < 3; i++) costs.Count(Stopwatch.Frequency, wasRefused: false);
        Assert.Equal(0, costs.SecondsPerTransaction);
        var other = new ConflictCosts();
        other.Count(5 * Stopwatch.Frequency, wasRefused: true);
        costs.Add(other);
        Assert.Equal(1, costs.SecondsPerTransaction, 12); // 4 seconds more, of 4 transactions
    }

    [Fact]
    public void Refused_transactions_that_are_faster_than_others_cost_nothing()
    {
        var costs = new ConflictCosts();
        costs.Count(10, wasRefused: false);
        costs.Count(5, wasRefused: true);
        Assert.Equal(0, costs.SecondsPerTransaction);
    }

    [Fact]
    public void Time_is_divided_by_differences_between_engines_in_turn()
    {
        double[] alone = [2e6, 4e6], plain = [2e6, 4e6, 4e6], tail = [1e6, 4e6, 4e6, 2.5e6];
        Assert.Equal((1e-6, 0.75e-6, 0.0, 0.0, 0.25e-6), Parts(TransactionBreakdown.Of([alone], 2, 0.25e-6)));
        Assert.Equal((1e-6, 0.5e-6, 0.0, 0.25e-6, 0.25e-6), Parts(TransactionBreakdown.Of([plain], 2, 0.25e-6)));
        Assert.Equal((2e-6, 1.45e-6, 0.3e-6, 0.0, 0.25e-6), Parts(TransactionBreakdown.Of([tail], 2, 0.25e-6)));
    }

    [Fact]
    public void Each_part_is_the_median_of_the_rounds()
    {
        double[][] rounds = [[1e6, 4e6, 4e6, 2.5e6], [1e6, 4e6, 4e6, 1e6], [2e6, 4e6, 4e6, 2.5e6]];
        Assert.Equal((1e-6, 0.85e-6, 0.15e-6, 0.0, 0.0), Parts(TransactionBreakdown.Of(rounds, 1, 0)));
    }

    [Fact]
    public void A_commits_worst_window_stands_beside_that_of_as_long_a_time_without_one()
    {
        // A thousand a second; a stop of 20 ms in the commit, one of 10 ms after it, and one of 25 ms later than both.
        var samples = new List<Sample> { new(0, 0, 0) };
        long done = 0;
        for (int i = 1; i <= 1000; i++)
        {
            double seconds = i * 0.005;
            bool stops = seconds is (> 1.1 and < 1.1225) or (> 3 and < 3.0125) or (> 4.5 and < 4.5275);
            done += stops ? 0 : 5;
            samples.Add(new Sample(seconds, done, 0));
        }

        var window = CommitWindow.Of(new Timeline(samples), new CommitSpan(1, 1.5), quiet: 2.5);
        Assert.Equal(0.5, window.Seconds, 6);
        Assert.Equal(990, window.PerSecond, 3); // 10 of 1,000 are missing
        Assert.Equal(600, window.WorstWith, 3);
        Assert.Equal(800, window.WorstWithout, 3);
    }

    private static (double Total, double Execution, double Tail, double Log, double Abort) Parts(
        TransactionBreakdown parts)
    {
        static double Round(double seconds) => Math.Round(seconds, 9);
        return (Round(parts.Total), Round(parts.Execution), Round(parts.Tail), Round(parts.Log), Round(parts.Abort));
    }
}
