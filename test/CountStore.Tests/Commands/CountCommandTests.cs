using System.IO.Pipes;
using System.Text;
using System.Text.Json;
using CountStore.Commands;
using CountStore.Report;

namespace CountStore.Tests.Commands;

public sealed class CountCommandTests : IDisposable
{
    private readonly ProgramRun _program = new();

    public void Dispose() => _program.Dispose();

    [Theory]
    [InlineData("--threads", "0")]
    [InlineData("--threads", "many")]
    [InlineData("--memory", "16 apples")]
    [InlineData("--memory", "0")]
    [InlineData("--memory", "1MB", "--engine", "tiered")]
    [InlineData("--engine", "f2")]
    [InlineData("--memory", "9999999TB")]
    [InlineData("--top", "-1")]
    [InlineData("--format", "u128")]
    [InlineData("--format", "words")]
    [InlineData("--input", "x")]
    [InlineData("--input", "no/such/file", "--format", "lines")]
    [InlineData("--input", ".", "--format", "lines")]
    [InlineData("--input", "-", "--format", "lines")]
    [InlineData("--data", "/dev/null/data")]
    [InlineData("--nonsense")]
    public async Task A_bad_argument_is_one_line_and_exit_code_2(params string[] args)
    {
        Assert.Equal(ExitCode.Failed, await _program.RunAsync(args));
        Assert.Empty(_program.Output);
        string line = Assert.Single(_program.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith("Error: ", line, StringComparison.Ordinal);
        Assert.Contains(args[0].TrimStart('-'), line, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task A_data_folder_with_something_in_it_is_refused()
    {
        string input = _program.File("a.txt", "a"u8.ToArray());
        string folder = Path.GetDirectoryName(input)!;
        Assert.Equal(ExitCode.Failed, await _program.RunAsync("--input", input, "--format", "lines", "--data", folder));
        Assert.Contains("is not empty", _program.Error, StringComparison.Ordinal);
    }

    [UnixFact("pipes have no path like a file's")]
    public async Task An_input_that_is_a_pipe_is_an_error()
    {
        using var pipe = new AnonymousPipeServerStream(PipeDirection.Out);
        string path = $"/dev/fd/{pipe.ClientSafePipeHandle.DangerousGetHandle()}";
        Assert.Equal(ExitCode.Failed, await _program.RunAsync("--input", path, "--format", "lines"));
        Assert.Contains("is a pipe or a terminal", _program.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Counting: 5 %", 14, "Counting: 5 %")]
    [InlineData("Counting: 5 %", 13, "Counting: 5 ")]
    [InlineData("Counting: 5 %", 0, "")]
    public void A_line_of_progress_does_not_wrap(string line, int width, string shown) =>
        Assert.Equal(shown, StatusLine.Fit(line, width));

    [Theory]
    [InlineData("cut.u32", "u32le")]
    [InlineData("no.gz.u32.gz", "u32le")]
    public async Task An_input_without_its_format_is_an_error(string name, string format)
    {
        string path = _program.File("plain", [1, 2, 3, 4, 5]);
        string input = Path.Combine(Path.GetDirectoryName(path)!, name);
        File.Move(path, input);
        Assert.Equal(ExitCode.Failed, await _program.RunAsync("--input", input, "--format", format));
        Assert.Empty(_program.Output);
    }

    [Theory]
    [InlineData("a.txt", Engines.Faster)]
    [InlineData("a.txt.gz", Engines.Faster)]
    [InlineData("a.txt", Engines.Tiered)]
    public async Task Words_are_counted_and_verified(string name, string engine)
    {
        string input = _program.File(name, "the cat and the dog and the bird"u8.ToArray());
        int code = await _program.RunAsync(
            ["--input", input, "--format", "words", "--verify", "--top", "2", .. Engines.Args(engine)]);
        Assert.Equal("", _program.Error);
        Assert.Equal(ExitCode.Ok, code);
        Assert.Contains($"Engine:      {engine}\n", _program.Output, StringComparison.Ordinal);
        Assert.Matches(@"3  the\n +2  and\n", _program.Output);
        Assert.DoesNotContain("bird", _program.Output, StringComparison.Ordinal);
        Assert.StartsWith("Counted 8 occurrences of 5 keys in ", _program.LastLine, StringComparison.Ordinal);
        Assert.EndsWith(
            "verified: every key agrees with a plain dictionary.", _program.LastLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Json_is_all_that_the_output_holds()
    {
        string input = _program.File("a.u32", [1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0]);
        Assert.Equal(ExitCode.Ok, await _program.RunAsync("--input", input, "--format", "u32le", "--json", "--verify"));
        using var json = JsonDocument.Parse(_program.Output);
        Assert.Equal(3, json.RootElement.GetProperty("keysCounted").GetInt64());
        Assert.Equal(2, json.RootElement.GetProperty("distinctKeys").GetInt64());
        JsonElement first = json.RootElement.GetProperty("top").GetProperty("keys")[0];
        Assert.Equal(("1", 2), (first.GetProperty("key").GetString(), first.GetProperty("count").GetInt32()));
        Assert.Equal(0, json.RootElement.GetProperty("verification").GetProperty("differences").GetInt32());
        Assert.StartsWith("Counted 3 occurrences", _program.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Engines.Faster, 1)]
    [InlineData(Engines.Faster, 4)]
    [InlineData(Engines.Tiered, 1)]
    [InlineData(Engines.Tiered, 4)]
    public async Task More_keys_than_the_memory_holds_are_counted_right_by_any_number_of_threads(
        string engine, int threads)
    {
        int lines = engine == Engines.Tiered ? 120_000 : 60_000; // its least memory is twice as much
        Random random = new(7);
        StringBuilder text = new();
        for (int line = 0; line < lines; line++) text.Append("key number ").Append(random.Next(lines / 2)).Append('\n');
        string input = _program.File("lines.gz", Encoding.ASCII.GetBytes(text.ToString()));
        int code = await _program.RunAsync(
            ["--input", input, "--format", "lines", "--verify", "--threads", $"{threads}", .. Engines.Args(engine)]);
        Assert.True(code == ExitCode.Ok, _program.Error + _program.Output);
        Assert.DoesNotContain(" 0 records read back", _program.LastLine, StringComparison.Ordinal);
        Assert.StartsWith($"Counted {lines / 1000},000 occurrences", _program.LastLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_is_no_error()
    {
        Assert.Equal(ExitCode.Ok, await _program.RunAsync("--help"));
        Assert.Contains("--resume", _program.Output, StringComparison.Ordinal);
        Assert.Contains("--verify", _program.Output, StringComparison.Ordinal);
        Assert.Contains("--engine", _program.Output, StringComparison.Ordinal);
    }
}
