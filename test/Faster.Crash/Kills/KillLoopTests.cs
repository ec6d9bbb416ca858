using System.Diagnostics;
using Faster.Crash.Workloads;
using Xunit.Abstractions;

namespace Faster.Crash.Kills;

/// <summary>
/// A process is killed by SIGKILL at random moments of opening, recovery, load, commits and growth, again and again,
/// over one folder: what was acknowledged is never lost, and what is found is an exact prefix of each session.
/// </summary>
public sealed class KillLoopTests(ITestOutputHelper output)
{
    private const int Stores = 3, KillsOfAStore = 7, MaxKillsOfAStore = 12, KillsOfAFeature = 3,
        LinesOfALife = 8, OperationsOfALife = 1_500, Commits = 40, AtATime = 2, MaxTimes = 4;

    [Fact]
    public async Task A_killed_process_loses_nothing_that_it_was_told()
    {
        int kills = TestBudget.Times(Stores * KillsOfAStore), told = 0;
        int each = kills / Stores < MaxKillsOfAStore ? KillsOfAStore : MaxKillsOfAStore;
        long start = Stopwatch.GetTimestamp();
        var parallel = new ParallelOptions { MaxDegreeOfParallelism = AtATime };
        await Parallel.ForAsync(0, (kills + each - 1) / each, parallel, async (index, _) =>
        {
            int of = Math.Min(each, kills - (index * each));
            Interlocked.Add(ref told, await KillAgainAndAgainAsync(TestSeed.First - 1 + index, of, feature: null));
        });

        output.WriteLine(
            $"{kills} kills, {told} commits told before them, 0 lost; "
            + $"{Stopwatch.GetElapsedTime(start).TotalSeconds:0} s");
        Assert.True(told > kills / 2, $"Only {told} commits were told: the kills come too early to show anything.");
    }

    public static TheoryData<string> Features => [.. KilledStore.Features];

    [Theory, MemberData(nameof(Features))]
    public async Task Nor_does_one_that_has_a_feature(string feature)
    {
        int kills = TestBudget.Times(KillsOfAFeature), done = 0, told = 0;
        // Each kill's moment is drawn. One run in thirty draws three that come before the first commit, and then kills
        // more.
        for (int seed = TestSeed.First; done < kills || (told <= done / 2 && done < MaxTimes * kills); seed++)
        {
            int of = done < kills ? Math.Min(KillsOfAStore, kills - done) : KillsOfAFeature;
            told += await KillAgainAndAgainAsync(seed, of, feature);
            done += of;
        }

        output.WriteLine($"{feature}: {done} kills, {told} commits told before them, 0 lost");
        Assert.True(told > done / 2, $"Only {told} commits were told: the kills come too early to show anything.");
    }

    private static async Task<int> KillAgainAndAgainAsync(int seed, int kills, string? feature)
    {
        KilledStore kind = KilledStore.Of(seed, feature);
        string folder = Path.Combine(AppContext.BaseDirectory, $"kill-{feature}{seed}-{Guid.NewGuid():N}");
        string cold = KilledStore.ColdFolderOf(folder);
        var random = new Random(seed);
        int told = 0;
        WorkloadPlan plan = kind.Plan;
        SessionPoint[] last = [.. Enumerable.Repeat(SessionPoint.None, kind.Plan.Sessions)];
        for (int life = 1; life <= kills; life++)
        {
            List<string> lines = await KilledProgram.LiveAndDieAsync(
                folder, [seed, life, Commits], feature, random,
                plan.IsEachDurable ? OperationsOfALife : LinesOfALife);
            SessionPoint[][] points = [.. lines.Select(static line => line.Split(' ', 2))
                .Where(static words => words.Length == 2).Select(static words => SessionPoint.Parse(words[1]))];
            told += points.Length;
            plan = plan.TurnAt(last, life);
            KilledProgram.AwaitLock(folder);
            if (Directory.Exists(cold)) KilledProgram.AwaitLock(cold);
            await using IWorkStore store = await kind.OpenAsync(folder);
            string? wrong = new Oracle(plan).Judge(store, [last, .. points], out last);
            Assert.True(wrong is null, $"Store {seed}, life {life} (kept in {folder}): {wrong}");
        }

        Directory.Delete(folder, recursive: true);
        if (Directory.Exists(cold)) Directory.Delete(cold, recursive: true);
        return told;
    }
}
