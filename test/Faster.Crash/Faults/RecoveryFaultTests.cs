using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Xunit.Abstractions;

namespace Faster.Crash.Faults;

/// <summary>The n-th call of a recovery fails: a typed error, and the next one is as if nothing had been.</summary>
public sealed class RecoveryFaultTests(ITestOutputHelper output)
{
    public static TheoryData<string> Kinds => ["fold-over", "incremental", "spilling"];

    [Theory, MemberData(nameof(Kinds))]
    public async Task A_failure_in_recovery_is_typed_and_harmless(string name)
    {
        RunKind kind = RunKinds.Of(name, 4 + TestSeed.First);
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
                Assert.True(wrong is null, $"{TestSeed.Text(TestSeed.First)}. After {call} {n} had failed: {wrong}");
            }
        }

        output.WriteLine($"{failures} recoveries failed, and all succeeded afterwards.");
        Assert.True(failures > 3, $"Only {failures} recoveries failed: the test shows little."); // one seed has 5
    }
}
