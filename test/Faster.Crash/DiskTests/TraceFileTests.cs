using Faster.Crash.Disk;

namespace Faster.Crash.DiskTests;

/// <summary>A saved run crashes like the run itself.</summary>
public sealed class TraceFileTests
{
    [Fact]
    public void A_run_that_was_saved_and_loaded_crashes_alike()
    {
        CrashDisk run = RandomRun.Go(8, 60, out _);
        run.Mark("told");
        string path = TraceFile.Save(run, "round-trip", seed: 8);
        (string name, CrashDisk loaded) = TraceFile.Load(path);
        File.Delete(path);
        Assert.Equal("round-trip", name);
        Assert.Equal(8, TraceFile.SeedOf(path));
        Assert.Equal(run.Notes(), loaded.Notes());
        Assert.Equal(run.Events.Count, loaded.Events.Count);
        for (int events = 0; events <= run.Events.Count; events++)
        {
            DiskImage one = run.CrashState(events, events).Live, other = loaded.CrashState(events, events).Live;
            Assert.Equal(one.Names.Keys.Order(), other.Names.Keys.Order());
            foreach (string file in one.Names.Keys)
                Assert.Equal(one.Find(file)!.ToArray(), other.Find(file)!.ToArray());
        }
    }
}
