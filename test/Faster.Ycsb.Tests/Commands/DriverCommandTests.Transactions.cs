using System.Text.Json;

namespace Faster.Ycsb.Tests.Commands;

/// <summary>The command that measures transactions.</summary>
public sealed partial class DriverCommandTests
{
    [Fact]
    public async Task Transactions_are_measured_beside_a_loop_without_locks_and_around_commits()
    {
        (string json, string svg) = (Path.Combine(_folder, "transactions.json"), Path.Combine(_folder, "t.svg"));
        string[] common = ["transactions", "--keys", "2000", "--runs", "1", "--warm-up", "0.1", "--data", _folder];
        (int exitCode, string output, string error) = await RunAsync(
            [
                .. common, "--seconds", "0.1", "--sizes", "1,4", "--updates", "50", "--thetas", "0.9", "--threads", "2",
                "--engines", "transactional,faster-csharp-lockable", "--json", json, "--svg", svg,
            ]);
        Assert.True(exitCode == 0, error);
        Assert.Contains("| 4 keys, 50 % updated | 0.90 | faster-csharp-lockable ", output, StringComparison.Ordinal);
        JsonElement[] measured = [.. JsonDocument.Parse(await File.ReadAllTextAsync(json)).RootElement
            .GetProperty("measurements").EnumerateArray()];
        Assert.Equal([1, 4, 1, 4], measured.Select(m => m.GetProperty("size").GetInt32()));
        Assert.True(measured[0].GetProperty("ratio_low").GetDouble() <= measured[0].GetProperty("ratio").GetDouble());
        Assert.Contains("θ 0.90: throughput", await File.ReadAllTextAsync(svg), StringComparison.Ordinal);
        (exitCode, output, error) = await RunAsync(
            [
                .. common, "--seconds", "0.3", "--sizes", "2", "--updates", "50", "--thetas", "0.9", "--threads", "1",
                "--engines", "transactional", "--commit-at", "0.1",
            ]);
        Assert.True(exitCode == 0, error);
        Assert.Contains("2 keys, 50 % updated", output, StringComparison.Ordinal);
    }
}
