using Faster.Checkpoints.Files;
using Faster.Testing;

namespace Faster.MemoryProbe.Bounds;

/// <summary>
/// Compares what a folder and this process hold with their bounds, every 100 ms, while a load runs. A thread of its
/// own.
/// </summary>
internal sealed class BoundsWatch : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;
    private readonly string _folder;
    private readonly Bounds _bounds;
    private readonly long _empty;

    /// <summary>Starts.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="bounds">The bounds.</param>
    public BoundsWatch(string folder, Bounds bounds)
    {
        (_folder, _bounds, _empty) = (folder, bounds, Resources.Resident());
        _thread = new Thread(Watch) { IsBackground = true };
        _thread.Start();
    }

    /// <summary>The most bytes that the segments of logs had.</summary>
    public long MostLogs { get; private set; }

    /// <summary>The most bytes that all other files had.</summary>
    public long MostOthers { get; private set; }

    /// <summary>The most that the resident set has grown since the watch started.</summary>
    public long MostGrowth { get; private set; }

    /// <summary>The most bytes that the managed heap had.</summary>
    public long MostManaged { get; private set; }

    /// <summary>How often was looked.</summary>
    public long Samples { get; private set; }

    /// <summary>How often something was above its bound.</summary>
    public long SamplesAbove { get; private set; }

    /// <summary>Looks once more, and ends. The figures stay.</summary>
    public void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _stop.Dispose();
    }

    private void Watch()
    {
        do Sample();
        while (!_stop.Wait(Interval));
        Sample();
    }

    private void Sample()
    {
        long logs = 0, others = 0;
        foreach ((string path, long bytes) in FolderListing.AtOneMoment(_folder))
        {
            if (StoreFileNames.IsSegment(Path.GetFileName(path))) logs += bytes;
            else others += bytes;
        }

        long growth = Resources.Resident() - _empty;
        Samples++;
        if (logs > _bounds.MostLogs || others > _bounds.MostOthers || growth > _bounds.MostGrowth) SamplesAbove++;
        MostLogs = Math.Max(MostLogs, logs);
        MostOthers = Math.Max(MostOthers, others);
        MostGrowth = Math.Max(MostGrowth, growth);
        MostManaged = Math.Max(MostManaged, GC.GetTotalMemory(forceFullCollection: false));
    }
}
