using System.Text.Json.Nodes;
using CountStore.Commands;

namespace CountStore.Tests.Commands;

public sealed class ResumeTests : IDisposable
{
    private readonly ProgramRun _program = new();

    public void Dispose() => _program.Dispose();

    [Theory]
    [InlineData("a.u32", "u32le", Engines.Faster, "1")]
    [InlineData("a.u32", "u32le", Engines.Faster, "3")]
    [InlineData("a.txt.gz", "lines", Engines.Faster, "4")]
    [InlineData("a.u32", "u32le", Engines.Tiered, "3")]
    [InlineData("a.txt.gz", "lines", Engines.Tiered, "4")]
    public async Task A_run_that_was_stopped_goes_on_and_comes_to_the_same_counts(
        string name, string format, string engine, string threads)
    {
        int keys = Engines.Keys(engine);
        byte[] bytes = format == "lines" ? Inputs.Lines(keys, 1) : Inputs.Numbers(keys, 1);
        string[] args =
            ["--input", _program.File(name, bytes), "--format", format, "--json", .. Engines.Args(engine)];
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        string expected = _program.Json.GetProperty("top").GetRawText();
        string data = _program.PathOf("data");
        args = [.. args, "--data", data, "--resume"];

        using CancellationTokenSource stop = new();
        Task<int> stopped = _program.RunAsync(
            stop.Token, [.. args, "--commit-every", "10ms", "--threads", threads]);
        await CommitAfterAsync(data, [], stopped);
        await stop.CancelAsync();
        int stoppedCode = await stopped;
        int resumedCode = await _program.RunAsync([.. args, "--commit-every", "60min", "--verify"]);

        Assert.True(stoppedCode is ExitCode.Interrupted or ExitCode.Ok, $"{stoppedCode}");
        Assert.True(resumedCode == ExitCode.Ok, _program.Error);
        Assert.Equal(expected, _program.Json.GetProperty("top").GetRawText());
        Assert.Equal(keys, _program.Json.GetProperty("keysCounted").GetInt64());
        Assert.InRange(_program.Json.GetProperty("keysResumedFrom").GetInt64(), 1, keys);
        Assert.Equal(int.Parse(threads, null), _program.Json.GetProperty("threads").GetInt32());
        Assert.Equal(engine, _program.Json.GetProperty("engine").GetString());
        Assert.Equal(engine, Engines.Of(data));
    }

    [Theory]
    [InlineData(Engines.Faster)]
    [InlineData(Engines.Tiered)]
    public async Task A_finished_run_resumes_to_its_result_and_counts_nothing_twice(string engine)
    {
        string[] args = Finished(engine);
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        Assert.Equal(1, _program.Json.GetProperty("commits").GetInt64());
        Assert.Equal(0, _program.Json.GetProperty("keysResumedFrom").GetInt64());
        Assert.False(_program.Json.TryGetProperty("recovery", out _));

        Assert.Equal(ExitCode.Ok, await _program.RunAsync([.. args, "--resume", "--verify"]));
        Assert.Equal(10_000, _program.Json.GetProperty("keysResumedFrom").GetInt64());
        Assert.Equal(10_000, _program.Json.GetProperty("keysCounted").GetInt64());
        Assert.True(_program.Json.GetProperty("recovery").GetProperty("version").GetInt64() >= 1);
    }

    [Fact]
    public async Task The_report_for_people_tells_commits_and_recovery()
    {
        string[] args = [.. Finished().Where(arg => arg != "--json")];
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        Assert.Matches(@"Committed:   1 times\n", _program.Output);
        Assert.Equal(ExitCode.Ok, await _program.RunAsync([.. args, "--resume"]));
        Assert.Matches(
            @"Resumed:     after 10,000 keys, from commit 1, recovered in [0-9.]+ s", _program.Output);
    }

    [Theory]
    [InlineData("--format", "u32be", "begun with --format u32le")]
    [InlineData("--format", "lines", "begun with --format u32le")]
    [InlineData("--threads", "3", "among --threads 2")]
    [InlineData("--engine", "tiered", "begun with --engine faster, whose files --engine tiered can't read")]
    [InlineData("--input", "other.u32", "another input")]
    public async Task Counts_of_something_else_are_not_gone_on_with(string option, string value, string why)
    {
        string[] args = Finished();
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        string other = _program.File("other.u32", Inputs.Numbers(10, 3));
        args[Array.IndexOf(args, option) + 1] = option == "--input" ? other : value;
        await AssertRefusedAsync(ExitCode.Failed, why, [.. args, "--resume"]);
    }

    [Fact]
    public async Task An_input_that_was_changed_is_not_gone_on_with()
    {
        string[] args = Finished();
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        _program.File("a.u32", Inputs.Numbers(10_001, 1));
        await AssertRefusedAsync(ExitCode.Failed, "another input", [.. args, "--resume"]);
    }

    [Fact]
    public async Task A_folder_with_counts_is_neither_overwritten_nor_taken_for_another_store()
    {
        string[] args = Finished();
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        await AssertRefusedAsync(ExitCode.Failed, "go on with its counts by --resume", args);

        string job = _program.PathOf("data/countstore.json");
        File.WriteAllText(job, "{ \"Division\": 1, ");
        await AssertRefusedAsync(ExitCode.Failed, $"'{job}' is damaged", [.. args, "--resume"]);

        File.Delete(job);
        await AssertRefusedAsync(ExitCode.Failed, "no counts of this program", [.. args, "--resume"]);
    }

    [Fact]
    public async Task Counts_of_the_other_engine_are_not_gone_on_with_and_without_the_option_it_is_known()
    {
        string[] args = [.. Finished(Engines.Tiered), "--resume"];
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        string[] unnamed = WithoutEngine(args);
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(unnamed));
        Assert.Equal(Engines.Tiered, _program.Json.GetProperty("engine").GetString());
        unnamed[Array.IndexOf(unnamed, "--memory") + 1] = "1MB";
        await AssertRefusedAsync(ExitCode.Failed, "--engine tiered needs 2.0 MiB or more", unnamed);
        args[Array.IndexOf(args, "--engine") + 1] = Engines.Faster;
        await AssertRefusedAsync(
            ExitCode.Failed, "begun with --engine tiered, whose files --engine faster can't read", args);
    }

    [Theory]
    [InlineData(null, ExitCode.Ok, "")]
    [InlineData("f3", ExitCode.Failed, "begun with --engine f3, which this version of the program does not have")]
    public async Task A_folder_of_another_version_is_of_the_engine_it_names_or_of_faster(
        string? engine, int code, string why)
    {
        string[] args = [.. WithoutEngine(Finished()), "--resume"];
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        string job = _program.PathOf("data/countstore.json");
        JsonObject note = JsonNode.Parse(File.ReadAllText(job))!.AsObject();
        Assert.True(note.Remove("Engine"));
        if (engine is not null) note["Engine"] = engine;
        File.WriteAllText(job, note.ToJsonString());
        if (code == ExitCode.Ok) Assert.Equal(code, await _program.RunAsync(args));
        else await AssertRefusedAsync(code, why, args);
    }

    [Fact]
    public async Task A_budget_too_small_for_the_engine_is_refused_before_anything_is_written()
    {
        string[] args = Finished(Engines.Tiered);
        args[Array.IndexOf(args, "--memory") + 1] = "1MB";
        await AssertRefusedAsync(ExitCode.Failed, "--engine tiered needs 2.0 MiB or more", args);
        Assert.False(Directory.Exists(_program.PathOf("data")));
    }

    [Fact]
    public async Task Counts_that_are_short_are_not_gone_on_with()
    {
        string[] args = Finished();
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        CountJob.MarkShort(_program.PathOf("data"));
        await AssertRefusedAsync(ExitCode.Failed, "was committed, so that they are short", [.. args, "--resume"]);
        await AssertRefusedAsync(ExitCode.Failed, "is not empty: name a new or empty folder", args);
    }

    [Theory]
    [InlineData(Engines.Faster)]
    [InlineData(Engines.Tiered)]
    public async Task A_damaged_commit_is_named_with_its_byte(string engine)
    {
        string[] args = Finished(engine);
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        string folder = _program.PathOf("data/store");
        CommitsFile.DamageNewest(folder);
        await AssertRefusedAsync(
            ExitCode.Damaged, $"'{Path.Combine(folder, CommitsFile.Name)}'", [.. args, "--resume"]);
        Assert.Matches(@"\bbyte [0-9,]+\b", _program.Error);
    }

    [Theory]
    [InlineData("--resume")]
    [InlineData("--commit-every", "50ms")]
    [InlineData("--durability", "each-operation")]
    public async Task Durability_without_a_folder_is_refused(params string[] options) =>
        await AssertRefusedAsync(ExitCode.Failed, "name it by --data", options);

    [Theory]
    [InlineData("50")]
    [InlineData("ms")]
    [InlineData("-1s")]
    [InlineData("1h")]
    [InlineData("0ms")]
    [InlineData("61min")]
    public async Task A_time_without_sense_is_refused(string time) =>
        await AssertRefusedAsync(ExitCode.Failed, "--commit-every", ["--data", "x", "--commit-every", time]);

    [Fact]
    public async Task A_folder_that_cannot_be_made_is_one_line()
    {
        string[] args = Finished();
        args[Array.IndexOf(args, "--data") + 1] = Path.Combine(args[1], "data");
        await AssertRefusedAsync(ExitCode.Failed, args[1], args);
    }

    /// <summary>
    /// Waits until there is a commit that was not there before and covers something, or the run has ended. The first
    /// one of a folder is made whether or not anything has been counted.
    /// </summary>
    internal static async Task CommitAfterAsync(string folder, IReadOnlyCollection<long> before, Task run)
    {
        int wanted = before.Count == 0 ? 2 : 1;
        while (!run.IsCompleted && Commits(folder).Except(before).Count() < wanted) await Task.Delay(1);
    }

    /// <summary>The commits in a folder.</summary>
    internal static long[] Commits(string folder) => CommitsFile.Versions(Path.Combine(folder, "store"));

    private string[] Finished(string engine = Engines.Faster) =>
    [
        "--input", _program.File("a.u32", Inputs.Numbers(10_000, 1)), "--format", "u32le", "--threads", "2", "--json",
        "--data", _program.PathOf("data"), "--commit-every", "60min", .. Engines.Args(engine),
    ];

    private static string[] WithoutEngine(string[] args)
    {
        int engine = Array.IndexOf(args, "--engine");
        return [.. args[..engine], .. args[(engine + 2)..]];
    }

    private async Task AssertRefusedAsync(int code, string why, string[] args)
    {
        Assert.Equal(code, await _program.RunAsync(args));
        Assert.Empty(_program.Output);
        string line = Assert.Single(_program.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith("Error: ", line, StringComparison.Ordinal);
        Assert.Contains(why, line, StringComparison.Ordinal);
    }
}
