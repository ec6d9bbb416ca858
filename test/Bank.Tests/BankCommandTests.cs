using System.Text.Json;

namespace Bank.Tests;

public sealed class BankCommandTests
{
    [Theory]
    [InlineData("--mode", "none")]
    [InlineData("--accounts", "1")]
    [InlineData("--sessions", "0")]
    [InlineData("--seconds", "soon")]
    [InlineData("--kill-every", "2")]
    [InlineData("--memory", "1KB")]
    [InlineData("--data", ".")]
    public async Task A_bad_argument_is_one_line_and_exit_code_2(string option, string value)
    {
        ProgramRun run = await ProgramRun.OfAsync(option, value);
        Assert.Equal((ExitCode.Failed, ""), (run.Code, run.Output));
        string line = Assert.Single(run.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith($"Error: {option}", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_run_without_kills_keeps_every_transfer_and_shows_a_picture()
    {
        ProgramRun run = await ProgramRun.OfAsync("--accounts", "1000", "--seconds", "1", "--verify");
        Assert.True(run.Code == ExitCode.Ok, run.Error + run.Output);
        Assert.StartsWith("Transfers a second, up to ", run.Output, StringComparison.Ordinal);
        Assert.Contains("█", run.Output, StringComparison.Ordinal);
        Assert.Contains("; 0 kills have undone 0 that no commit had; ", run.Output, StringComparison.Ordinal);
        Assert.EndsWith(
            "the sum and every balance are right, and everything promised is there.", run.Output.TrimEnd(),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("cpr", 1)]
    [InlineData("calc", 2)]
    [InlineData("wal", 3)]
    public async Task Killed_at_any_moment_the_sum_and_what_was_promised_are_there(string mode, int seed)
    {
        ProgramRun run = await ProgramRun.OfAsync(
            "--mode", mode, "--accounts", "1000", "--sessions", "3", "--seconds", $"{TestBudget.Times(6)}",
            "--kill-every", "1500ms", "--commit-every", "10ms", "--seed", $"{seed}", "--verify", "--json");
        Assert.True(run.Code == ExitCode.Ok, run.Error + run.Output);
        JsonElement json = run.Json;
        Assert.NotEqual(0, json.GetProperty("kills").GetInt32());
        Assert.NotEqual(0, json.GetProperty("commits").GetInt32());
        Assert.NotEqual(0, json.GetProperty("transfersHeld").GetInt64());
        Assert.Equal(0, json.GetProperty("wrong").GetArrayLength());
    }
}
