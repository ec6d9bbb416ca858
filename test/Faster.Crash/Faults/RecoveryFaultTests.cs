using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Xunit.Abstractions;

namespace Faster.Crash.Faults;

/// <summary>The n-th call of a recovery fails: a typed error, and the next recovery finds everything.</summary>
public sealed class RecoveryFaultTests(ITestOutputHelper output)
{
    private const int Enough = 5, MaxRuns = 3; // a short run has but few calls to fail

    public static TheoryData<string> Kinds => ["fold-over", "incremental", "spilling"];

    [Theory, MemberData(nameof(Kinds))]
    public async Task A_failure_in_recovery_is_typed_and_harmless(string name)
    {
        int failures = 0, runs = 0;
        for (; failures <= Enough && runs < MaxRuns; runs++)
            failures += await FailEachAsync(name, TestSeed.First + runs);
        output.WriteLine($"{failures} recoveries of {runs} runs failed, and all succeeded afterwards.");
        Assert.True(failures > Enough, $"Only {failures} recoveries failed: the test shows little.");
    }

    // Returns how many recoveries failed.
    private static async Task<int> FailEachAsync(string name, int seed)
    {
        RunKind kind = RunKinds.Of(name, 4 + seed);
        CrashDisk run = await RecordedRun.RecordAsync(kind);
        var judge = new CrashJudge(kind);
        int failures = 0;
        foreach (DiskCall call in Enum.GetValues<DiskCall>())
        {
            for (int n = 1; ; n += 1 + (n / 20))
            {
                CrashDisk disk = run.CrashState(n % 5);
                disk.Arm(new DiskFault(call, n));
                string? wrong = await judge.RecoverAsync(disk, run.Notes());
                if (disk.Faults == 0) break;
                failures += wrong is null ? 0 : 1;
                Assert.True(
                    wrong is null || wrong.Contains("Exception", StringComparison.Ordinal), $"{call} {n}: {wrong}");
                disk.Arm(null);
                wrong = await judge.RecoverAsync(disk, run.Notes());
                Assert.True(wrong is null, $"{TestSeed.Text(seed)}. After {call} {n} had failed: {wrong}");
            }
        }

        return failures;
    }
}
