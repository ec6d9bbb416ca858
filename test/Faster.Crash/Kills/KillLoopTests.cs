using System.Diagnostics;
using System.Globalization;
using Faster.Crash.Crashes;
using Faster.Crash.Engine;
using Faster.Crash.Workloads;
using Xunit.Abstractions;

namespace Faster.Crash.Kills;

/// <summary>
/// A process is killed by SIGKILL at random moments of opening, recovery, load, commits and growth, again and again,
/// over one folder: what it was told is never lost, and what is found is an exact prefix of each session.
/// </summary>
public sealed class KillLoopTests(ITestOutputHelper output)
{
    private const int Stores = 4, KillsOfAStore = 7, MostKillsOfAStore = 12, KillsOfAFeature = 3;

    [Fact]
    public async Task A_killed_process_loses_nothing_that_it_was_told()
    {
        int kills = Budget.Times(Stores * KillsOfAStore), done = 0, told = 0;
        long start = Stopwatch.GetTimestamp();
        for (int seed = 0; done < kills; seed++)
        {
            int of = Math.Min(kills / Stores < MostKillsOfAStore ? KillsOfAStore : MostKillsOfAStore, kills - done);
            told += await KillAgainAndAgainAsync(seed, of, feature: null);
            done += of;
        }

        output.WriteLine(
            $"{done} kills, {told} commits told before them, 0 lost; "
            + $"{Stopwatch.GetElapsedTime(start).TotalSeconds:0} s");
        Assert.True(told > done / 2, $"Only {told} commits were told: the kills come too early to show anything.");
    }

    public static TheoryData<string> Features => [.. KilledStore.Features];

    [Theory, MemberData(nameof(Features))]
    public async Task Nor_does_one_that_compacts_or_shrinks_or_keeps_a_budget_or_has_large_values(string feature)
    {
        int kills = Budget.Times(KillsOfAFeature), done = 0, told = 0;
        for (int seed = 1; done < kills; seed++)
        {
            int of = Math.Min(KillsOfAStore, kills - done);
            told += await KillAgainAndAgainAsync(seed, of, feature);
            done += of;
        }

        output.WriteLine($"{feature}: {done} kills, {told} commits told before them, 0 lost");
        Assert.True(told > done / 2, $"Only {told} commits were told: the kills come too early to show anything.");
    }

    private static async Task<int> KillAgainAndAgainAsync(int seed, int kills, string? feature)
    {
        KilledStore kind = KilledStore.Of(seed, feature);
        string folder = Path.Combine(AppContext.BaseDirectory, $"kill-{Environment.ProcessId}-{feature}{seed}");
        var random = new Random(seed);
        int told = 0;
        WorkloadPlan plan = kind.Plan;
        SessionPoint[] last = [.. Enumerable.Repeat(SessionPoint.None, kind.Plan.Sessions)];
        for (int life = 1; life <= kills; life++)
        {
            List<SessionPoint[]> points = await LiveAndDieAsync(folder, seed, life, random, feature);
            told += points.Count;
            plan = plan.TurnAt(last, life);
            await using EngineStore store = await EngineStore.OpenAsync(folder, kind.Options, kind.Plan.Bytes);
            string? wrong = new Oracle(plan).Judge(store, [last, .. points], out last);
            Assert.True(wrong is null, $"Store {seed}, life {life} (kept in {folder}): {wrong}");
        }

        Directory.Delete(folder, recursive: true);
        return told;
    }

    /// <summary>One life of the process, and what it said before it was killed.</summary>
    private static async Task<List<SessionPoint[]>> LiveAndDieAsync(
        string folder, int seed, int life, Random random, string? feature)
    {
        string[] numbers = [.. new[] { seed, life, 40 }.Select(n => n.ToString(CultureInfo.InvariantCulture))];
        string[] arguments = ["exec", KilledProgram.Path, folder, .. numbers];
        if (feature is not null) arguments = [.. arguments, feature];
        using Process process = Process.Start(new ProcessStartInfo("dotnet", arguments)
        {
            RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,
        })!;
        List<SessionPoint[]> points = [];
        int lines = random.Next(8);
        bool isKilled = false;
        while (await process.StandardOutput.ReadLineAsync() is { } line)
        {
            string[] words = line.Split(' ', 2);
            if (words.Length == 2) points.Add(SessionPoint.Parse(words[1]));
            if (lines-- > 0 && words[0] != "done") continue;
            if (isKilled) continue;

            // From some line on, after a moment too short to wait for: any point of what follows it.
            Thread.SpinWait(random.Next(1 << random.Next(22)));
            process.Kill();
            isKilled = true;
        }

        await process.WaitForExitAsync();
        Assert.True(isKilled, $"The process ended by itself: {await process.StandardError.ReadToEndAsync()}");
        return points;
    }
}
