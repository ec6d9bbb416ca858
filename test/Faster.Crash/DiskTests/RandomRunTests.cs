using System.Text;
using Faster.Crash.Disk;

namespace Faster.Crash.DiskTests;

/// <summary>A file that was synced with its name survives every crash, whatever was done before.</summary>
public sealed class RandomRunTests
{
    [Fact]
    public void Synced_bytes_survive_every_crash()
    {
        int certainFiles = 0, states = 0;
        for (int run = 0; run < 150; run++)
        {
            CrashDisk disk = RandomRun.Go(run, 10 + (run % 40), out Dictionary<string, string> certain);
            for (int seed = 0; seed < 40; seed++, states++)
            {
                CrashDisk after = disk.CrashState(seed);
                foreach ((string name, string text) in certain)
                {
                    certainFiles++;
                    Assert.True(
                        after.Live.Find(name) is { } file && Encoding.ASCII.GetString(file.ToArray()) == text,
                        $"Run {run}, seed {seed}: file {name} is not as it was synced.");
                }
            }
        }

        Assert.True(certainFiles > states / 4, $"Only {certainFiles} files were certain: the test shows nothing.");
    }
}
