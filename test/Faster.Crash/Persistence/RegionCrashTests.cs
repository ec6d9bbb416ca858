using System.Globalization;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Devices.Segments;
using Faster.Persistence;

namespace Faster.Crash.Persistence;

/// <summary>
/// Power cuts under a log of records: every acknowledged record is there, and none is torn, over persistent memory that
/// loses cache lines and over a device that loses sectors.
/// </summary>
public sealed class RegionCrashTests
{
    [Fact]
    public void Memory_keeps_what_was_acknowledged() =>
        TestSeed.Run(15, seed => Assert.Null(RegionCuts.OnMemory(seed)));

    [Fact]
    public void A_device_keeps_what_was_acknowledged() => TestSeed.Run(8, seed => Assert.Null(RegionCuts.OnDisk(seed)));

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
            using (MappedFileRegion.Create(files, "region", Bytes, calls))
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
}
