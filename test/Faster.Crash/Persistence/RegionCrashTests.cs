using System.Globalization;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Devices.Segments;
using Faster.Persistence;
using Xunit.Abstractions;

namespace Faster.Crash.Persistence;

/// <summary>
/// Power cuts under a log of records: every acknowledged record is there, and none is torn, over persistent memory that
/// loses cache lines and over a device that loses sectors.
/// </summary>
public sealed unsafe class RegionCrashTests(ITestOutputHelper output)
{
    private const int MemoryBytes = 16 << 10, DiskBytes = 8 << 10, Segment = 4096, CutsEachStep = 6;

    [Fact]
    public void Memory_keeps_what_was_acknowledged() =>
        TestSeed.Run(15, seed => Assert.Null(RunOnMemory<NoProbe>(seed)));

    [Fact]
    public void A_device_keeps_what_was_acknowledged() =>
        TestSeed.Run(8, seed => Assert.Null(RunOnDisk<NoProbe>(seed)));

    [Fact]
    public void A_ticket_that_is_acknowledged_before_its_sync_is_found() => AssertFound<TicketBeforeSync>();

    [Fact]
    public void A_ticket_that_joins_a_running_sync_is_found() => AssertFound<TicketJoinsRunningSync>();

    [Fact]
    public void A_fence_that_forgets_a_range_is_found() => AssertFound<FenceForgetsRange>();

    [Fact]
    public void A_mapped_file_is_whole_once_it_has_its_name()
    {
        const int Bytes = 64 << 10;
        string folder = Path.Combine(AppContext.BaseDirectory, "region-" + Guid.NewGuid().ToString("N"));
        var disk = new CrashDisk();
        var calls = new RecordingCalls(disk, folder);
        try
        {
            using (FolderFiles files = FolderFiles.OpenFolder(folder, unbuffered: false, calls))
            using (MappedFileRegion<NoProbe>.Create(files, "region", Bytes, calls))
                disk.Mark("created");
            bool isCreated = false;
            for (int events = 0; events <= disk.Events.Count; events++)
            {
                isCreated |= events != 0 && disk.Events[events - 1].Kind == DiskEventKind.Mark;
                foreach (int seed in Enumerable.Range(0, 30))
                {
                    DiskImage left = disk.CrashState(seed, events).Live;
                    bool isThere = left.Names.TryGetValue("region", out int file);
                    Assert.True(isThere || !isCreated, $"The region is lost at event {events}, seed {seed}.");
                    if (isThere) Assert.Equal(Bytes, left.Files[file].Length);
                }
            }

            Assert.True(isCreated);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private void AssertFound<TBug>()
        where TBug : struct, IProbe
    {
        foreach (Func<int, string?> run in new Func<int, string?>[] { RunOnMemory<TBug>, RunOnDisk<TBug> })
        {
            string? found = Enumerable.Range(1, 20).Select(run).FirstOrDefault(failure => failure is not null);
            output.WriteLine(found ?? "nothing found");
            Assert.NotNull(found);
            Assert.Contains("were acknowledged", found, StringComparison.Ordinal);
        }
    }

    private static string? RunOnMemory<TProbe>(int seed)
        where TProbe : struct, IProbe
    {
        using var region = new CrashRegion<TProbe>(new byte[MemoryBytes]);
        var workload = new RecordWorkload<TProbe>(region, seed);
        string? failure = null;
        int cut = 0;
        workload.Run(() =>
        {
            for (int i = 0; i < CutsEachStep; i++)
            {
                int choice = i < 2 ? i : unchecked((seed * 1000) + ++cut);
                failure ??= workload.Judge(region.Cut(choice), workload.Acknowledged);
            }
        });
        if (failure is null) AssertAll(workload, region.Fences);
        return failure;
    }

    private static string? RunOnDisk<TProbe>(int seed)
        where TProbe : struct, IProbe
    {
        var disk = new CrashDisk();
        RecordWorkload<TProbe> workload;
        using (StoreFiles files = disk.Mount())
        using (var region = DeviceRegion<TProbe>.Create(OpenLog(files), DiskBytes, Segment))
        {
            workload = new RecordWorkload<TProbe>(region, seed);
            workload.Run(() => disk.Mark(workload.Acknowledged.ToString(CultureInfo.InvariantCulture)));
            AssertAll(workload, disk.Events.Count(e => e.Kind == DiskEventKind.Synced));
        }

        int acknowledged = -1; // before the creation has returned
        for (int events = 0; events <= disk.Events.Count; events++)
        {
            if (events != 0 && disk.Events[events - 1] is { Kind: DiskEventKind.Mark } mark)
                acknowledged = int.Parse(mark.Note, CultureInfo.InvariantCulture);
            if (acknowledged < 0) continue;
            for (int i = 0; i < CutsEachStep; i++)
            {
                CrashDisk left = disk.CrashState(i < 2 ? i : unchecked((seed * 1000) + (events * 8) + i), events);
                if (workload.Judge(Recover(left), acknowledged) is { } failure) return failure;
            }
        }

        return null;
    }

    private static Device OpenLog(StoreFiles files) =>
        files.OpenLog(StoreFileNames.MainLog, Segment, unbuffered: true);

    private static byte[] Recover(CrashDisk left)
    {
        using StoreFiles files = left.Mount();
        using var region = DeviceRegion<NoProbe>.Open(OpenLog(files), DiskBytes, Segment);
        return new ReadOnlySpan<byte>(region.Pointer, DiskBytes).ToArray();
    }

    // A run without waits, syncs and acknowledgments would show nothing.
    private static void AssertAll<TProbe>(RecordWorkload<TProbe> workload, int syncs)
        where TProbe : struct, IProbe
    {
        Assert.InRange(workload.Appended, 20, int.MaxValue);
        Assert.Equal(workload.Appended, workload.Acknowledged);
        Assert.InRange(syncs, 5, int.MaxValue);
    }

    private readonly struct TicketBeforeSync : IProbe
    {
        public static void Point(ProbePoint point) { }

        public static bool Has(SeededBug bug) => bug == SeededBug.TicketBeforeSync;
    }

    private readonly struct TicketJoinsRunningSync : IProbe
    {
        public static void Point(ProbePoint point) { }

        public static bool Has(SeededBug bug) => bug == SeededBug.TicketJoinsRunningSync;
    }

    private readonly struct FenceForgetsRange : IProbe
    {
        public static void Point(ProbePoint point) { }

        public static bool Has(SeededBug bug) => bug == SeededBug.FenceForgetsRange;
    }
}
