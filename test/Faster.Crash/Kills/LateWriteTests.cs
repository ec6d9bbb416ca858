using System.Diagnostics;
using Faster.Checkpoints.Files;
using Faster.Crash.Late;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Devices.Segments;
using Xunit.Abstractions;

namespace Faster.Crash.Kills;

/// <summary>
/// A process is killed while the system still executes writes of it: no other process gets its folder's lock before
/// they have ended, because a late write would overwrite what that process writes there.
/// </summary>
public sealed class LateWriteTests(ITestOutputHelper output)
{
    private const int Kills = 32, Folders = 2;

    private static readonly TimeSpan Later = TimeSpan.FromMilliseconds(100);

    [Fact]
    public async Task No_write_of_a_killed_process_comes_after_its_lock_is_free()
    {
        // If the lock is free too early, one kill in six to fourteen shows it. This many kills show it in nine runs of
        // ten.
        int kills = Math.Min(TestBudget.Times(Kills) / Folders, byte.MaxValue);
        await Task.WhenAll(Enumerable.Range(1, Folders).Select(seed => KillAsync(seed, kills)));
    }

    private async Task KillAsync(int seed, int kills)
    {
        string folder = Path.Combine(AppContext.BaseDirectory, $"late-{Guid.NewGuid():N}");
        var random = new Random(seed);
        for (byte life = 1; life <= kills; life++)
        {
            await KilledProgram.LiveAndDieAsync(folder, [0, life, 0], LateWrites.Feature, random, mostLines: 1);
            long died = Stopwatch.GetTimestamp();
            KilledProgram.AwaitLock(folder);
            using FolderFiles files = FolderFiles.OpenFolder(folder);
            double free = Stopwatch.GetElapsedTime(died).TotalMilliseconds;
            using Device log = files.OpenLog(StoreFileNames.MainLog, LateWrites.Segment, unbuffered: true);
            int arrived = LateWrites.Arrived(log, life);
            await Task.Delay(Later); // time for late writes, of which there must be none
            Assert.Equal(arrived, LateWrites.Arrived(log, life));
            output.WriteLine($"life {life}: free after {free:0.0} ms, {arrived} of {LateWrites.Count} writes made");
        }

        Directory.Delete(folder, recursive: true);
    }
}
