using Faster.Devices;
using Xunit.Abstractions;

namespace Faster.Tests.Faults;

/// <summary>
/// The n-th read or write fails, for n = 1 and larger ones until a run is clean; once, or permanently; each flavor.
/// Which n is drawn in each run; every n from a budget of 8.
/// </summary>
public sealed class NthFaultTests(ITestOutputHelper output)
{
    public static TheoryData<bool, FaultTarget, FaultFlavor, bool> Cases
    {
        get
        {
            var cases = new TheoryData<bool, FaultTarget, FaultFlavor, bool>();
            foreach (bool onFiles in new[] { false, true })
            foreach (FaultTarget target in new[] { FaultTarget.Read, FaultTarget.Write })
            foreach (FaultFlavor flavor in Enum.GetValues<FaultFlavor>())
            foreach (bool persistent in new[] { false, true })
                cases.Add(onFiles, target, flavor, persistent);
            return cases;
        }
    }

    [Theory]
    [InlineData(FaultTarget.Read, false)]
    [InlineData(FaultTarget.Write, false)]
    [InlineData(FaultTarget.Write, true)]
    public async Task In_the_middle_of_a_large_value_nothing_of_it_is_visible(FaultTarget target, bool persistent)
    {
        int runs = 0, failures = 0;
        var steps = new FaultSteps();
        for (int n = 1; ; n = steps.After(n, n / 4.0))
        {
            bool clean = false;
            await Guard.RunAsync(() =>
            {
                using var store = new FaultedStore(bytes: true);
                store.Device.Arm(
                    new FaultPlan { Faults = [new Fault(target, n, FaultFlavor.InputOutputError, persistent)] });
                var run = new FaultedRun(store, large: true);
                run.Go(seed: n);
                clean = store.Device.Counters.Faults == 0;
                store.Mend();
                run.CheckAll();
                Assert.Null(store.Store.Statistics.LastFault);
                Assert.Equal(long.MaxValue, store.Store.Tier.PagedLog!.Pins.LowestPinned);
                failures += run.Failures;
            });
            runs++;
            if (clean) break;
        }

        output.WriteLine($"{runs} runs, {failures} operations failed");
        Assert.True(runs > 5, "The workload hardly does any I/O: the test shows nothing.");
        if (target == FaultTarget.Read || persistent) Assert.True(failures > 0);
    }

    [Theory, MemberData(nameof(Cases))]
    public async Task Every_operation_ends_right_or_typed_and_nothing_is_lost(
        bool onFiles, FaultTarget target, FaultFlavor flavor, bool persistent)
    {
        // A quarter of all n for the plainest fault; for the others wider steps.
        bool isPlain = !onFiles && flavor == FaultFlavor.InputOutputError && !persistent;
        int runs = 0, failures = 0;
        TimeSpan slowest = default;
        var steps = new FaultSteps();
        for (int n = 1; ; n = steps.After(n, isPlain ? 4 : n))
        {
            bool clean = false;
            await Guard.RunAsync(() =>
            {
                using var store = new FaultedStore(onFiles, bytes: true);
                store.Device.Arm(new FaultPlan { Faults = [new Fault(target, n, flavor, persistent)] });
                var run = new FaultedRun(store);
                run.Go(seed: 1);
                clean = store.Device.Counters.Faults == 0;
                store.Mend();
                run.CheckAll();
                Assert.True(run.Slowest < FaultedRun.Limit, $"n = {n}: an operation took {run.Slowest}");
                Assert.Null(store.Store.Statistics.LastFault);
                failures += run.Failures;
                if (run.Slowest > slowest) slowest = run.Slowest;
            });
            runs++;
            if (clean) break;
        }

        output.WriteLine(
            $"{runs} runs, {failures} operations failed, the slowest took {slowest.TotalMilliseconds:0} ms");
        Assert.True(runs > 5, "The workload hardly does any I/O: the test shows nothing.");
        if (target == FaultTarget.Read) Assert.True(failures > 0);
    }
}
