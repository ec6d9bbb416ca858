using Faster.Workload;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Tests.Experiments;

public class StepTests
{
    private const string Folder = "any";

    [Theory]
    [InlineData(0, "fold-over")]
    [InlineData(0, "incremental")]
    [InlineData(2, "snapshot")]
    public async Task Committed_values_are_recovered_and_checked(int threads, string kind)
    {
        var source = new FakeSource();
        StepSettings settings = SettingsOf(threads, kind);
        CommitResult commit = await CommitStep.RunAsync(source, Folder, settings);
        RecoveryResult recovery = await RecoverStep.RunAsync(source, Folder, settings);

        Assert.Equal((kind, threads, kind), (commit.Kind, commit.Threads, recovery.Kind));
        Assert.Equal(kind == "incremental", commit.BaseSeconds.HasValue);
        Assert.Equal(threads != 0, commit.BeforePerSecond.HasValue);
        Assert.Equal(threads != 0, commit.WorstPerSecond.HasValue);
    }

    [Theory]
    [InlineData(0, "fold-over")]
    [InlineData(0, "incremental")]
    [InlineData(2, "snapshot")]
    public async Task A_key_that_a_commit_lost_is_found_missing(int threads, string kind)
    {
        var source = new FakeSource { Keeps = pair => pair.Key != 77 };
        StepSettings settings = SettingsOf(threads, kind);
        await CommitStep.RunAsync(source, Folder, settings);
        await Assert.ThrowsAsync<WrongAnswerException>(() => RecoverStep.RunAsync(source, Folder, settings));
    }

    [Theory]
    [InlineData("rmw")]
    [InlineData("0:100")]
    public async Task A_timeline_has_bins_and_commits(string mix)
    {
        StepSettings settings = SettingsOf(1, "fold-over") with
        {
            Workload = mix, Seconds = 0.1, CommitTimes = [0.02, 0.05], Bin = 0.01,
        };
        TimelineResult result = await TimelineStep.RunAsync(new FakeSource(), Folder, settings);

        Assert.Equal(2, result.Commits.Count);
        Assert.True(result.Commits[0].EndSeconds <= result.Commits[1].StartSeconds);
        Assert.Equal(result.Seconds.Count, result.BinPerSecond.Count);
        Assert.Equal(result.Seconds.Count, result.LogBytes.Count);
        Assert.True(result.Seconds.Zip(result.Seconds.Skip(1)).All(pair => pair.First < pair.Second));
        Assert.Equal(24 * settings.Keys, result.LogBytes[^1]);
    }

    [Theory]
    [InlineData("50:50", 0.5, 0.5)]
    [InlineData("90:10", 0.9, 0.1)]
    [InlineData("0:100", 0, 1)]
    [InlineData("rmw", 1, 0)]
    public void A_mix_draws_reads_and_updates_in_its_proportion(string name, double reads, double updates)
    {
        Assert.True(Mix.TryParse(name, out Mix? mix));
        KeyStream stream = Assert.Single(mix.Draw(SettingsOf(1, "fold-over")));
        int read = 0;
        int updated = 0;
        for (int chunk = 0; chunk < 64; chunk++)
        {
            foreach (long key in stream.Take())
            {
                _ = key >= 0 ? read++ : updated++;
                Assert.InRange(key >= 0 ? key : ~key, 0, 999);
            }
        }

        Assert.Equal(reads, (double)read / (read + updated), 0.01);
        Assert.Equal(updates, (double)updated / (read + updated), 0.01);
    }

    [Fact]
    public void A_child_gets_the_settings_as_they_are()
    {
        StepSettings settings = SettingsOf(3, "incremental") with
        {
            CommitTimes = [1, 2.5], Bin = 0.05, BufferBytes = 64,
        };
        string json = StepCommand.ArgumentsOf(StepKind.Timeline, "faster", Folder, settings).Last();
        Assert.Equivalent(
            settings, System.Text.Json.JsonSerializer.Deserialize(json, StepSettingsJson.Default.StepSettings), true);
    }

    private static StepSettings SettingsOf(int threads, string kind)
    {
        Assert.True(FormNames.TryParse(kind, out CommitForm form));
        return new StepSettings
        {
            Keys = 1000, Threads = threads, Workload = "50:50", Distribution = KeyDistribution.Zipf, Form = form,
            Seconds = 0.05, WarmUpSeconds = 0.01,
        };
    }
}
