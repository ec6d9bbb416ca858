using System.Text.Json;
using Faster.Ycsb.Tests.Engines;

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

    [Fact]
    public async Task Transactions_are_divided_and_commits_stand_beside_times_without_one()
    {
        string svg = Path.Combine(_folder, "t.svg");
        string[] common =
        [
            "transactions", "--keys", "2000", "--runs", "1", "--warm-up", "0.1", "--seconds", "0.1", "--sizes", "2",
            "--updates", "50", "--thetas", "0.9", "--threads", "2", "--data", _folder, "--svg", svg, "--engines",
        ];
        (int exitCode, string output, string error) = await RunAsync(
            [.. common, "transactional-calc,bare", "--breakdown"]);
        Assert.True(exitCode == 0, error);
        Assert.Contains("| tail contention |", output, StringComparison.Ordinal);
        Assert.Contains("tail contention", await File.ReadAllTextAsync(svg), StringComparison.Ordinal);
        (exitCode, output, error) = await RunAsync([.. common, "transactional", "--commits", "1"]);
        Assert.True(exitCode == 0, error);
        Assert.Contains("| worst 50 ms with, % |", output, StringComparison.Ordinal);
        Assert.Contains("with a commit", await File.ReadAllTextAsync(svg), StringComparison.Ordinal);
        (exitCode, _, error) = await RunAsync([.. common, "transactional", "--commits", "1", "--breakdown"]);
        Assert.NotEqual(0, exitCode);
        Assert.Contains("one at a time", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Durable_transactions_have_a_row_for_each_form_that_an_engine_has()
    {
        string json = Path.Combine(_folder, "transactions.json");
        string[] common =
        [
            "transactions", "--keys", "2000", "--runs", "1", "--warm-up", "0.1", "--seconds", "0.2", "--sizes", "2",
            "--updates", "50", "--thetas", "0.9", "--data", _folder, "--json", json, "--engines",
        ];
        (int exitCode, string output, string error) = await RunAsync(
            [.. common, "sqlite-full,transactional", "--forms", "blocking:2,awaited:1x4,batches:1x4"]);
        Assert.True(exitCode == 0, error);
        Assert.Contains("transactional is left out of blocking:2", error, StringComparison.Ordinal);
        Assert.Contains("| batches:1x4 ", output, StringComparison.Ordinal);
        JsonElement[] measured = [.. JsonDocument.Parse(await File.ReadAllTextAsync(json)).RootElement
            .GetProperty("measurements").EnumerateArray()];
        Assert.Equal(["blocking:2", "batches:1x4"], measured.Select(m => m.GetProperty("form").GetString()));
        Assert.Equal([2, 4], measured.Select(m => m.GetProperty("outstanding").GetInt32()));
        (exitCode, _, error) = await RunAsync([.. common, "transactional", "--forms", "blocking:2"]);
        Assert.NotEqual(0, exitCode);
        Assert.Contains("none of the engines can wait so", error, StringComparison.Ordinal);
    }

    // In a process of its own, which has loaded nothing of the peer before.
    [Theory]
    [PeerData("rocksdb-transactions")]
    [PeerData("lmdb")]
    public async Task A_peer_runs_transactions(string name)
    {
        (int exitCode, string output, string error) = await RunAsync(
            [
                "transactions", "--keys", "2000", "--runs", "1", "--warm-up", "0.1", "--seconds", "0.1", "--sizes", "2",
                "--updates", "50", "--thetas", "0.9", "--threads", "1", "--data", _folder, "--engines", name,
            ]);
        Assert.True(exitCode == 0, error);
        Assert.Contains($"| {name} ", output, StringComparison.Ordinal);
    }
}
