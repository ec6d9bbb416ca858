using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Workloads;
using Faster.Operations;
using Xunit.Abstractions;

namespace Faster.Crash.Damage;

/// <summary>
/// A store whose newest commit is damaged goes on from the older one if that is allowed, and survives power cuts
/// meanwhile: the damaged commit is never found again.
/// </summary>
public sealed class AllowOlderCommitTests(ITestOutputHelper output)
{
    private const int Tries = 40;

    [Theory]
    [InlineData(false, CommitKind.FoldOver, true)]
    [InlineData(true, CommitKind.Snapshot, true)]
    [InlineData(false, CommitKind.Incremental, false)]
    public async Task A_store_that_fell_back_goes_on_and_survives_power_cuts(
        bool bytes, CommitKind last, bool withIndex)
    {
        DamagedStore store = await DamagedStore.MakeAsync(bytes, last, withIndex);
        var judge = new CrashJudge(store.FallingBack);
        int fell = 0;
        await Parallel.ForEachAsync(Enumerable.Range(0, TestBudget.Times(Tries)), async (seed, _) =>
        {
            var random = new Random(seed);
            string[] files = [.. store.Files.Where(f => f != "store.meta")];
            string name = files[random.Next(files.Length)];
            DiskImage damaged = store.AtRest.Clone();
            damaged.FlipBit(name, random.NextInt64(damaged.Find(name)!.Length), random.Next(8));
            (Verdict verdict, string? wrong) = await store.OpenAsync(damaged.Clone(), fallBack: true);
            if (!store.MayBe(name, fallBack: true, verdict)) wrong ??= $"{verdict}, which it must not be.";
            Assert.True(wrong is null, $"Seed {seed}, a bit of {name}: {wrong}");
            if (verdict != Verdict.FellBack) return;
            Interlocked.Increment(ref fell);
            wrong = await judge.GoOnAsync(new CrashDisk(damaged), [SessionPoint.Format(store.Older)], seed);
            Assert.True(wrong is null, $"Seed {seed}, a bit of {name}: {wrong}");
        });
        output.WriteLine($"{fell} stores fell back, and went on.");
        Assert.True(fell > 3, $"Only {fell} stores fell back.");
    }
}
