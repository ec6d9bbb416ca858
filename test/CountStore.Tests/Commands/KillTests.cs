using System.Text.Json;
using CountStore.Commands;

namespace CountStore.Tests.Commands;

/// <summary>The program is killed again and again, and at the end has counted as if nothing had happened.</summary>
public sealed class KillTests : IDisposable
{
    private const int Kills = 3;

    private readonly ProgramRun _program = new();

    public void Dispose() => _program.Dispose();

    [Theory]
    [InlineData("a.u32", "u32le", Engines.Faster, 1)]
    [InlineData("a.txt.gz", "lines", Engines.Faster, 2)]
    [InlineData("a.u32", "u32le", Engines.Tiered, 3)]
    [InlineData("a.txt.gz", "lines", Engines.Tiered, 4)]
    public Task Killed_at_any_moment_it_counts_exactly(string name, string format, string engine, int seed) =>
        KillAsync(name, format, engine, seed, ["--commit-every", "10ms"]);

    [Theory]
    [InlineData("a.u32", "u32le", Engines.Faster, 5)]
    [InlineData("a.txt.gz", "lines", Engines.Faster, 6)]
    [InlineData("a.u32", "u32le", Engines.Tiered, 7)]
    public Task Killed_at_any_moment_it_counts_exactly_where_each_operation_is_durable(
        string name, string format, string engine, int seed) =>
        KillAsync(name, format, engine, seed, ["--commit-every", "60min", "--durability", "each-operation"]);

    private async Task KillAsync(string name, string format, string engine, int seed, string[] durability)
    {
        int keys = Engines.Keys(engine);
        Random random = new(seed);
        byte[] bytes = format == "lines" ? Inputs.Lines(keys, seed) : Inputs.Numbers(keys, seed);
        string data = _program.PathOf("data");
        string[] args = ["--input", _program.File(name, bytes), "--format", format, "--json", "--top", "1000",
            "--threads", "3", .. Engines.Args(engine)];
        Assert.Equal(ExitCode.Ok, await _program.RunAsync(args));
        string expected = _program.Json.GetProperty("top").GetRawText();
        args = [.. args, "--data", data, "--resume"];

        int kills = TestBudget.Times(Kills);
        for (int kill = 0; kill < kills; kill++) await RunAndKillAsync(data, [.. args, .. durability], random);

        // By commits also where it was each operation: what the logs have is in the store whatever is asked for next.
        using var last = ChildProgram.Start([.. args, "--commit-every", "60min", "--verify"]);
        (int code, string output, string error) = await last.EndAsync();
        Assert.True(code == ExitCode.Ok, $"seed {seed}: exit code {code}: {error}{output}");
        JsonElement json = JsonDocument.Parse(output).RootElement;
        Assert.Equal(expected, json.GetProperty("top").GetRawText());
        Assert.Equal(keys, json.GetProperty("keysCounted").GetInt64());
        Assert.InRange(json.GetProperty("keysResumedFrom").GetInt64(), 1, keys);
        Assert.Equal(engine, Engines.Of(data));
    }

    // One kill in four comes at any time after the start, recovery included, the others soon after a new commit, so
    // that the run as a whole gets on.
    private static async Task RunAndKillAsync(string data, string[] args, Random random)
    {
        long[] before = ResumeTests.Commits(data);
        using var child = ChildProgram.Start(args);
        if (random.Next(4) != 0) await ResumeTests.CommitAfterAsync(data, before, child.Ended);
        await Task.WhenAny(child.Ended, Task.Delay(random.Next(150)));
        if (!child.Ended.IsCompleted) child.Kill();
        (int code, _, string error) = await child.EndAsync();
        const int killed = 128 + 9;
        Assert.True(code is killed or ExitCode.Ok, $"exit code {code}: {error}");
    }
}
