using System.Diagnostics;
using Faster.Probes;
using Faster.Tests.Scheduling;
using Xunit.Abstractions;

namespace Faster.Tests.Epochs;

/// <summary>
/// Whether the announcement of an epoch is ordered before the reads that it protects, on real cores, in both ways to
/// enter; and whether a phase of a commit that is published before a bump is seen by all who enter later.
/// </summary>
/// <remarks>
/// The control is the same code without the process-wide barrier, and it has to fail. It does so within a second while
/// both threads have a core; on a crowded machine they seldom run at once, and it takes longer. Ours then runs ten
/// times the rounds in which the control failed once on average, and many more where it fails often.
/// </remarks>
public sealed class EpochLitmusTests(ITestOutputHelper output)
{
    private const int Factor = 10, ControlFailures = 10, MinRounds = 2_000;
    private static readonly TimeSpan ControlTimeout = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Pages_are_freed_under_readers_only_without_the_process_wide_barrier(bool quietly)
    {
        using var control = new PageLitmus(quietly);
        using var ours = new PageLitmus(quietly);
        Compare(control, ours);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_phase_passes_under_sessions_only_without_the_process_wide_barrier(bool quietly) =>
        Compare(new PhaseLitmus(quietly), new PhaseLitmus(quietly));

    private void Compare(Litmus control, Litmus ours)
    {
        if (Environment.ProcessorCount == 1)
        {
            output.WriteLine("Inconclusive: one core cannot reorder what its own threads see.");
            return;
        }

        var watch = Stopwatch.StartNew();
        LitmusResult broken;
        using (SeededProbe.Seed(SeededBug.BumpWithoutBarrier))
        {
            broken = control.Run((_, failures) => failures < ControlFailures && watch.Elapsed < ControlTimeout);
        }

        Assert.True(broken.Failures > 0, $"The control never failed in {broken.Rounds} rounds: nothing is shown.");
        double roundsPerFailure = (double)broken.Rounds / broken.Failures;
        long rounds = TestBudget.Times(Math.Max((int)Math.Ceiling(Factor * roundsPerFailure), MinRounds));
        LitmusResult result = ours.Run((round, failures) => round < rounds && failures == 0);
        output.WriteLine(
            $"Unfenced control: {broken.Failures} failures in {broken.Rounds} rounds ({broken.Raced} raced).");
        output.WriteLine($"Epoch table: {result.Failures} failures in {result.Rounds} rounds ({result.Raced} raced), "
            + $"{result.Rounds / roundsPerFailure:F1} times as many as the control needed for each failure.");
        Assert.Equal(0, result.Failures);
        Assert.True(result.Raced > 0, "The reader never entered in the way that is tested: nothing is shown.");
    }
}
