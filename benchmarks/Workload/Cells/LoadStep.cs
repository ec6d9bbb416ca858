using System.Diagnostics;

namespace Faster.Workload.Cells;

/// <summary>Loads a store of one engine, and measures cells on it in turn, each after the other's values.</summary>
internal static class LoadStep
{
    // Of a thread. Stores that keep everything in memory must have space for what the fastest engine inserts. Others
    // should expect what d does with data larger than memory, half a million operations a second: a store that expects
    // ten times the keys gives its memory and disk to an index for them.
    private const double MaxInsertsPerSecond = 2e6, InsertsPerSecondBeyondMemory = 25e3;

    /// <summary>Runs all cells.</summary>
    /// <param name="source">Where the store comes from.</param>
    /// <param name="folder">An empty folder.</param>
    /// <param name="settings">What to do.</param>
    /// <param name="tell">Gets each result as soon as it is there.</param>
    /// <exception cref="WrongAnswerException">The engine lost, made up or confused a value.</exception>
    public static async Task RunAsync(
        IEngineSource source, string folder, LoadSettings settings, Action<RunResult> tell)
    {
        (int[]? trace, int named) = settings.Trace is null
            ? (null, 0)
            : TraceFile.Read(settings.Trace, settings.TraceFormat);
        int keys = Math.Max(settings.Keys, named);
        var streams = new StreamCache(keys, trace, settings.Cells);
        var expected = ExpectedValues.OfLoad(keys, settings.Verify || settings.MemoryBytes is null);
        if (settings.ControlGroup is { } group)
            ControlGroup.Enter(group); // what is occupied already does not count
        string? device = IOCounters.DeviceOf(folder);
        long? resident = ProcessMemory.ResidentBytes();
        IOCounters? io = IOCounters.Now(device);
        await using IEngine engine = await source.OpenAsync(folder, ShapeOf(settings, keys));
        long start = Stopwatch.GetTimestamp();
        AnswerCheck.Load(engine, keys);
        var loaded = new LoadFigures(
            keys, Stopwatch.GetElapsedTime(start).TotalSeconds, ProcessMemory.ResidentBytes() - resident,
            engine.MemoryBytes, IOCounters.Now(device)?.ProcessWritten - io?.ProcessWritten);

        for (int i = 0; i < settings.Cells.Count; i++)
        {
            CellSettings cell = settings.Cells[i];
            YcsbWorkload workload = WorkloadOf(cell);
            var run = new CellRun(engine, workload, ValueWord.MarkOf(i), device);
            KeyStream[] drawn = streams.Draw(cell, workload);
            run.Run(drawn, settings.WarmUpSeconds, settings.Seconds);
            long compared = Check(engine, expected, run, drawn, workload, ValueWord.MarkOf(i));
            tell(RunReport.Of(source.Name, settings, cell, workload, loaded, run, compared));
        }
    }

    private static YcsbWorkload WorkloadOf(CellSettings cell) => YcsbWorkload.TryParse(cell.Workload, out var workload)
        ? workload
        : throw new FormatException($"'{cell.Workload}' is no workload.");

    private static EngineShape ShapeOf(LoadSettings settings, int keys)
    {
        double perSecond = settings.MemoryBytes is null ? MaxInsertsPerSecond : InsertsPerSecondBeyondMemory;
        double inserts = settings.Cells
            .Where(c => WorkloadOf(c).Update == UpdateKind.Insert)
            .Sum(c => c.Threads * (settings.WarmUpSeconds + settings.Seconds) * perSecond);
        return new EngineShape(keys + (long)inserts, settings.ValueBytes, settings.MemoryBytes, settings.LimitBytes)
        {
            DiskBytes = settings.DiskBytes,
            KeysPerBucket = settings.KeysPerBucket,
            HotspotInterval = settings.HotspotInterval,
        };
    }

    private static long Check(
        IEngine engine, ExpectedValues expected, CellRun run, KeyStream[] streams, YcsbWorkload workload, long mark)
    {
        long compared = 0;
        for (int t = 0; t < streams.Length; t++)
        {
            expected.Note(streams[t], run.Done[t], workload, mark);
            if (streams[t] is LatestStream latest)
                compared += expected.CheckInserted(engine, latest, run.Done[t], mark);
        }

        return compared + expected.Check(engine);
    }
}
