using Faster.Workload.Experiments;
using Faster.Ycsb.Limits;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Tests.Limits;

public sealed class LimitSuiteTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ycsb-limits-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Memory_and_disk_are_measured()
    {
        var suite = new LimitSuite([1, 2], 0.002, _ => { });
        suite.Memory(1 << 20, huge: false);
        _ = suite.Disk(_folder, 4 << 20);
        Assert.All(suite.Results, r => Assert.True(r.OperationsPerSecond > 0, r.Workload));
        string[] names =
        [
            "dependent-read", "independent-read", "two-step-read", "increment", "disk-read", "disk-write",
            "disk-write-sync",
        ];
        Assert.Empty(names.Except(suite.Results.Select(r => r.Workload)));
        Assert.Equal([1, 32, 128], suite.Results
            .Where(r => r is { Workload: "disk-read", Distribution: "random", Bytes: 512 }).Select(r => r.Depth));
        // Where the system has io_uring, one thread reads as deep.
        LimitResult[] ring = [.. suite.Results.Where(r => r is { Workload: "ring-read", Bytes: 512 })];
        if (ring.Length != 0) Assert.Equal([1, 32, 128], ring.Select(r => r.Depth));
        Assert.All(ring, r => Assert.Equal(1, r.Threads));
        Assert.Contains("dependent-read", LimitTable.Render(suite.Results), StringComparison.Ordinal);
    }

    [Fact]
    public void The_lines_of_memory_form_one_cycle()
    {
        using var memory = new LimitMemory(1 << 16, huge: false);
        LimitLoop chase = memory.Dependent(0);
        var seen = new HashSet<long>();
        for (long i = 0; i < memory.Lines; i++)
            Assert.True(seen.Add(chase(i, 1)));
    }
}
