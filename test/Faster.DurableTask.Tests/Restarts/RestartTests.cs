using System.Diagnostics;
using DurableTask.Core;
using Faster.DurableTask.Tests.Entities;
using Faster.DurableTask.Tests.Hubs;

namespace Faster.DurableTask.Tests.Restarts;

/// <summary>Hubs that are closed, killed or broken at any moment go on where their last commit was.</summary>
public class RestartTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public Task Transfers_are_exact_though_the_hub_is_closed_between_them(int partitions) =>
        TestSeed.RunAsync(1, async seed =>
        {
            const int Transfers = 40, Closings = 5;
            using TestFolder folder = new();
            Random random = new(seed);
            for (int closing = 0; closing <= Closings; closing++)
            {
                await using EntityHub hub = await EntityHub.OpenAsync(folder.Path, TestHub.Options(partitions));
                TaskCompletionSource enough = new(TaskCreationOptions.RunContinuationsAsynchronously);
                int left = random.Next(1, 30);
                Task running = Bank.RunAsync(hub.Service, Transfers, 8, _ =>
                {
                    if (Interlocked.Decrement(ref left) == 0) enough.TrySetResult();
                });
                if (closing < Closings)
                {
                    await Task.WhenAny(enough.Task, running);
                    await hub.Service.DisposeAsync();
                    await running.ContinueWith(static _ => { }, TaskScheduler.Default);
                    continue;
                }

                await running;
                Assert.Equal(Bank.Expected(Transfers), await Bank.BalancesAsync(hub.Service));
                await hub.UntilIdleAsync();
            }
        });

    [Fact]
    public Task Transfers_are_exact_and_no_answer_is_taken_back_though_the_process_is_killed() =>
        TestSeed.RunAsync(1, async seed =>
        {
            const int Transfers = 60, Kills = 4;
            using TestFolder folder = new();
            Random random = new(seed);
            HashSet<string> created = [], done = [];
            for (int kill = 0; kill <= Kills; kill++)
            {
                using Process process = BankProcess.Start(folder.Path, Transfers);
                int left = kill < Kills ? random.Next(5, 40) : int.MaxValue;
                string last = "";
                while (left-- > 0 && await process.StandardOutput.ReadLineAsync() is { } line)
                {
                    string[] words = (last = line).Split(' ');
                    if (words[0] == "created") Assert.True(created.Add(words[1]), $"{words[1]} was lost.");
                    else if (words[0] == "known") created.Add(words[1]);
                    else if (words[0] == "done") done.Add(words[1]);
                }

                if (left <= 0 && !process.HasExited) process.Kill();
                await process.WaitForExitAsync();
                if (kill == Kills) Assert.Equal("exact", last);
            }

            Assert.Equal(Transfers, done.Count);
        });

    [Fact]
    public async Task Partition_whose_folder_is_gone_answers_nothing_and_goes_on_when_it_is_back()
    {
        using TestFolder folder = new();
        await using TestHub hub = await TestHub.OpenAsync(folder.Path, Register);
        await hub.RunAsync("end", "before", "x");
        string partition = Path.Combine(folder.Path, "p0"), aside = Path.Combine(folder.Path, "aside");
        Directory.Move(partition, aside);
        await Assert.ThrowsAsync<OutcomeUnknownException>(() => hub.CreateAsync("end", "during", "x"));
        Directory.Move(aside, partition);
        OrchestrationState end = await hub.RunAsync("end", "after", "x");
        Assert.Equal(OrchestrationStatus.Completed, end.OrchestrationStatus);
        Assert.NotNull(await hub.StateAsync("before"));
    }

    [Fact]
    public async Task Partition_that_was_restored_alone_is_refused_by_name()
    {
        using TestFolder folder = new(), backup = new();
        await using (TestHub hub = await TestHub.OpenAsync(folder.Path, Register, TestHub.Options(2)))
            await hub.RunAsync("parent", "one", 4);

        string partition = Path.Combine(folder.Path, "p1"), copy = Path.Combine(backup.Path, "p1");
        Copy(partition, copy);
        await using (TestHub hub = await TestHub.OpenAsync(folder.Path, Register, TestHub.Options(2)))
            await hub.RunAsync("parent", "two", 20);
        Directory.Delete(partition, recursive: true);
        Copy(copy, partition);
        StoreOpenException refused = await Assert.ThrowsAsync<StoreOpenException>(() =>
            TestHub.OpenAsync(folder.Path, Register, TestHub.Options(2)));
        Assert.Contains("not of one time", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Number_of_partitions_is_fixed()
    {
        using TestFolder folder = new();
        await (await TestHub.OpenAsync(folder.Path, Register, TestHub.Options(3))).DisposeAsync();
        StoreOpenException refused = await Assert.ThrowsAsync<StoreOpenException>(() =>
            TestHub.OpenAsync(folder.Path, Register, TestHub.Options(2)));
        Assert.Contains("has 3 partitions", refused.Message, StringComparison.Ordinal);
        await using TestHub hub = await TestHub.OpenAsync(folder.Path, Register, TestHub.Options(0));
        Assert.Equal(3, hub.Service.Statistics.Partitions);
    }

    [Fact]
    public async Task Timer_and_scheduled_start_survive_a_restart()
    {
        using TestFolder folder = new();
        await using (TestHub hub = await TestHub.OpenAsync(folder.Path, Register))
        {
            await hub.CreateAsync("sleep", "sleeper", 400);
            await hub.Client.CreateScheduledOrchestrationInstanceAsync(
                "end", "", "late", "x", DateTime.UtcNow.AddMilliseconds(400));
            await hub.UntilAsync("sleeper", _ => hub.Service.Statistics.Timers == 2);
        }

        await using TestHub again = await TestHub.OpenAsync(folder.Path, Register);
        Assert.Equal("\"awake\"", (await again.EndAsync("sleeper")).Output);
        Assert.Equal("\"x\"", (await again.EndAsync("late")).Output);
    }

    private static void Copy(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (string folder in Directory.EnumerateDirectories(from, "*", SearchOption.AllDirectories))
            Directory.CreateDirectory(folder.Replace(from, to, StringComparison.Ordinal));
        foreach (string file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories))
            File.Copy(file, file.Replace(from, to, StringComparison.Ordinal));
    }

    private static void Register(TaskHubWorker worker) => worker
        .Orchestration<string, string>("end", static (_, text) => Task.FromResult(text))
        .Orchestration<int, string>("sleep", static async (context, milliseconds) =>
            await context.CreateTimer(context.CurrentUtcDateTime.AddMilliseconds(milliseconds), "awake"))
        .Orchestration<int, int>("parent", static async (context, children) =>
        {
            Task<string>[] all = [.. Enumerable.Range(0, children).Select(child =>
                context.CreateSubOrchestrationInstance<string>(
                    "end", "", $"{context.OrchestrationInstance.InstanceId}/{child}", "x"))];
            return (await Task.WhenAll(all)).Length;
        });
}
