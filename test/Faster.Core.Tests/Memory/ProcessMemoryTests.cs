using Faster.Contracts;
using Faster.Engines;
using Faster.Engines.HotRing;
using Faster.Engines.Tiered;
using Faster.Memory;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Operations;

namespace Faster.Tests.Memory;

/// <summary>A budget above what the process may use is refused when a store opens, whatever sets that limit.</summary>
public sealed class ProcessMemoryTests
{
    private const string Max = "memory.max", First = "memory.limit_in_bytes", Root = "/sys/fs/cgroup";
    private const string Machine = "MemTotal:       24684000 kB\nMemFree:        1024 kB\n";
    private const string Rows = "Limit                     Soft Limit           Hard Limit           Units     \n";
    private const string Unlimited = "Max address space         unlimited            unlimited            bytes     \n";

    private static readonly ByteSize _limit = ByteSize.MiB(200);

    // Groups, the files there, and the limit in MiB; 0: none.
    public static TheoryData<string, (string Path, string Text)[], long> Trees => new()
    {
        { "0::/\n", [($"{Root}/{Max}", "209715200\n")], 200 },
        { "0::/\n", [($"{Root}/{Max}", "max\n")], 0 },
        { "0::/\n", [], 0 },
        { "0::/a/b\n", [($"{Root}/a/b/{Max}", "209715200\n"), ($"{Root}/a/{Max}", "max\n")], 200 },
        { "0::/a/b\n", [($"{Root}/a/b/{Max}", "max\n"), ($"{Root}/a/{Max}", "104857600\n")], 100 },
        { "0::/a/b\n", [($"{Root}/a/b/{Max}", "209715200\n"), ($"{Root}/a/{Max}", "104857600\n")], 100 },
        { "0::/a:b\n", [($"{Root}/a:b/{Max}", "209715200\n")], 200 },
        { "0::/docker/of-the-host\n", [($"{Root}/{Max}", "209715200\n")], 200 },
        { "0::/a\n", [($"{Root}/other/{Max}", "209715200\n")], 0 },
        { "5:cpu:/c\n4:memory:/a\n0::/\n", [($"{Root}/memory/a/{First}", "209715200\n")], 200 },
        { "4:cpu,memory:/a/b\n", [($"{Root}/memory/{First}", "209715200\n")], 200 },
        { "4:cpu:/a\n", [($"{Root}/memory/a/{First}", "209715200\n")], 0 },
        { "4:memory:/\n", [($"{Root}/memory/{First}", "9223372036854771712\n")], (long.MaxValue - 4095) >> 20 },
        { "4:memory:/\n", [($"{Root}/memory/{First}", "18446744073709551615\n")], 0 },
        { "", [($"{Root}/{Max}", "209715200\n")], 0 },
        { "nonsense\n0:\n\n::", [($"{Root}/{Max}", "")], 0 },
    };

    public static TheoryData<string, string> Engines
    {
        get
        {
            var all = new TheoryData<string, string>();
            foreach (string engine in (string[])["FASTER", "F2", "HotRing"])
            {
                all.Add(engine, "/proc/self/cgroup");
                all.Add(engine, "/proc/self/limits");
                all.Add(engine, "/proc/meminfo");
            }

            return all;
        }
    }

    [Theory, MemberData(nameof(Trees))]
    public void The_least_limit_of_a_group_and_those_around_it_counts(
        string groups, (string Path, string Text)[] files, long mebibytes)
    {
        (long Bytes, string Source)? lowest = Of([("/proc/self/cgroup", groups), .. files]).Lowest();
        Assert.Equal(mebibytes, (lowest?.Bytes ?? 0) >> 20);
        if (lowest is not { } limit) return;
        Assert.Contains(files, file => limit.Source.EndsWith(file.Path, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(Machine, Rows + Unlimited, 24684000L << 10, "MemTotal")]
    [InlineData(Machine, Rows + "Max address space 5000 unlimited bytes\n", 5000, "ulimit -v")]
    [InlineData(Machine, Rows + Unlimited + "Max data size 4000 9000 bytes\n", 4000, "ulimit -d")]
    [InlineData(null, Rows + "Max address space         6000                 7000                 bytes\n", 6000, "-v")]
    public void The_machine_and_the_limits_of_the_process_count(
        string? machine, string limits, long bytes, string source)
    {
        (long Bytes, string Source) = Of(("/proc/meminfo", machine), ("/proc/self/limits", limits)).Lowest()!.Value;
        Assert.Equal(bytes, Bytes);
        Assert.Contains(source, Source, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_files_the_runtime_tells_the_limit_or_there_is_none()
    {
        Assert.Null(new ProcessMemory(static _ => null, static () => null).Lowest());
        Assert.Equal(7, new ProcessMemory(static _ => null, static () => 7).Lowest()!.Value.Bytes);
    }

    [LinuxFact]
    public void A_limit_of_this_process_is_read_whatever_the_limit_of_its_heap_is() =>
        Assert.InRange(ProcessMemory.Own.Lowest()!.Value.Bytes, 64 << 20, 1L << 46);

    [Theory, MemberData(nameof(Engines))]
    public async Task A_budget_above_the_limit_is_refused_before_anything_is_made(string engine, string source)
    {
        using var folder = new TemporaryFolder();
        var over = new ByteSize(_limit.Bytes + 1);
        var error = await Assert.ThrowsAsync<StoreOpenException>(() => OpenAsync(engine, folder.Path, over, source));
        Assert.Contains("Options.MemoryBudget is " + over, error.Message, StringComparison.Ordinal);
        Assert.Contains($"no more than {_limit}", error.Message, StringComparison.Ordinal);
        Assert.Contains("Lower MemoryBudget", error.Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(folder.Path));
        await OpenAsync(engine, folder.Path, _limit, source);
    }

    [Fact]
    public async Task Every_way_to_open_a_store_reads_the_limits_of_the_process()
    {
        var most = ByteSize.GiB(1 << 16);
        RecordSchema schema = CounterOperations.Schema;
        using var folder = new TemporaryFolder();
        var faster = new StoreOptions { MemoryBudget = most };
        var tiered = new TieredOptions { MemoryBudget = most };
        Func<Task>[] all =
        [
            () => FasterStore.OpenAsync(null, faster, schema, default).AsTask(),
            () => FasterStore.OpenAsync(
                null, faster with { Allocator = RecordAllocatorKind.InMemory }, schema, default).AsTask(),
            () => FasterStore.RecoverAsync(folder.Path, faster, schema, null, default).AsTask(),
            () => TieredStore.OpenAsync(null, tiered, schema, default).AsTask(),
            () => TieredStore.RecoverAsync(folder.Path, tiered, schema, null, default).AsTask(),
            () => HotRingStore.OpenAsync(new() { MemoryBudget = most }, schema, default).AsTask(),
        ];
        foreach (Func<Task> open in all)
        {
            var error = await Assert.ThrowsAsync<StoreOpenException>(open);
            Assert.Contains("this process may use no more than", error.Message, StringComparison.Ordinal);
        }
    }

    private static async Task OpenAsync(string engine, string folder, ByteSize budget, string source)
    {
        ProcessMemory memory = source switch
        {
            "/proc/self/cgroup" => Of((source, "0::/a\n"), ($"{Root}/a/{Max}", $"{_limit.Bytes}\n")),
            "/proc/self/limits" => Of((source, $"{Rows}Max address space {_limit.Bytes} unlimited bytes\n")),
            _ => Of((source, $"MemTotal: {_limit.Bytes >> 10} kB\n")),
        };
        RecordSchema schema = CounterOperations.Schema;
        await using IAsyncDisposable store = engine switch
        {
            "FASTER" => await StoreOpener.OpenAsync(
                folder, new() { MemoryBudget = budget }, schema, mustExist: false, null, default, memory),
            "F2" => await TieredOpener.OpenAsync(
                folder, new() { MemoryBudget = budget }, schema, mustExist: false, null, default, memory),
            _ => HotRingEngine.Open(
                new() { MemoryBudget = budget }, schema, static start => new HotRingStore(start.Options, start.Schema), memory),
        };
    }

    private static ProcessMemory Of(params (string Path, string? Text)[] files) =>
        new(path => files.FirstOrDefault(file => file.Path == path).Text, static () => null);
}
