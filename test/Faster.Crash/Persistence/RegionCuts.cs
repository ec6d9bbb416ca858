using System.Globalization;
using Faster.Checkpoints.Files;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Persistence;

namespace Faster.Crash.Persistence;

/// <summary>Runs of a log of records over a region, whose power is cut after each step.</summary>
internal static unsafe class RegionCuts
{
    private const int MemoryBytes = 16 << 10, DiskBytes = 8 << 10, Segment = 4096, CutsEachStep = 6;

    /// <summary>Cuts the power of a log over persistent memory.</summary>
    /// <returns>What was lost, or null.</returns>
    public static string? OnMemory(int seed)
    {
        using var region = new CrashRegion(new byte[MemoryBytes]);
        var workload = new RecordWorkload(region, seed);
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

    /// <summary>Cuts the power of a log over a device.</summary>
    /// <returns>What was lost, or null.</returns>
    public static string? OnDisk(int seed)
    {
        var disk = new CrashDisk();
        RecordWorkload workload;
        using (StoreFiles files = disk.Mount())
        using (var region = DeviceRegion.Create(OpenLog(files), DiskBytes, Segment))
        {
            workload = new RecordWorkload(region, seed);
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

    private static Device OpenLog(StoreFiles files) => files.OpenLog(StoreFileNames.MainLog, Segment, unbuffered: true);

    private static byte[] Recover(CrashDisk left)
    {
        using StoreFiles files = left.Mount();
        using var region = DeviceRegion.Open(OpenLog(files), DiskBytes, Segment);
        return new ReadOnlySpan<byte>(region.Pointer, DiskBytes).ToArray();
    }

    // A run without waits, syncs and acknowledgments would show nothing.
    private static void AssertAll(RecordWorkload workload, int syncs)
    {
        Assert.InRange(workload.Appended, 20, int.MaxValue);
        Assert.Equal(workload.Appended, workload.Acknowledged);
        Assert.InRange(syncs, 5, int.MaxValue);
    }
}
