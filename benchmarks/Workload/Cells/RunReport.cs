namespace Faster.Workload.Cells;

/// <summary>Makes a result of what a cell's run has counted.</summary>
internal static class RunReport
{
    private const int KeyBytes = sizeof(long);

    /// <summary>The result.</summary>
    public static RunResult Of(
        string name, LoadSettings settings, CellSettings cell, YcsbWorkload workload, LoadFigures loaded,
        CellRun run, long compared)
    {
        double recordBytes = KeyBytes + settings.ValueBytes;
        return new RunResult
        {
            Engine = name,
            Workload = workload.Name,
            Distribution = EnumNames.Of(cell.Distribution),
            Theta = cell.Distribution is KeyDistribution.Zipf or KeyDistribution.Latest ? cell.Theta : null,
            Keys = loaded.Keys,
            Threads = cell.Threads,
            OperationsPerSecond = run.OperationsPerSecond,
            ValueBytes = settings.ValueBytes,
            MemoryBytes = settings.MemoryBytes,
            LimitBytes = settings.LimitBytes,
            KeysPerBucket = settings.KeysPerBucket,
            DiskBudgetBytes = settings.DiskBytes,
            LoadSeconds = loaded.Seconds,
            ResidentBytesPerRecord = Round((double?)loaded.ResidentBytes / loaded.Keys),
            StoreBytesPerRecord = Round((double?)loaded.StoreBytes / loaded.Keys),
            Latency = LatencyResult.Of(run.Latencies, run.CallLength),
            IO = IOOf(run, workload, recordBytes),
            LoadWriteAmplification = Round(loaded.BytesWritten / (loaded.Keys * recordBytes)),
            Checked = compared,
        };
    }

    private static double? Round(double? value) => value is { } given ? Math.Round(given, 2) : null;

    private static IOResult? IOOf(CellRun run, YcsbWorkload workload, double recordBytes)
    {
        if (run.IO is not { } io)
            return null;
        long read = io.After.ProcessRead - io.Before.ProcessRead;
        long written = io.After.ProcessWritten - io.Before.ProcessWritten;
        double updated = run.Operations * (1 - workload.Reads) * recordBytes;
        return new IOResult(
            read, written, io.After.DeviceRead - io.Before.DeviceRead,
            io.After.DeviceWritten - io.Before.DeviceWritten,
            Math.Round(read / (double)Math.Max(1, run.Operations), 1), updated == 0 ? null : Round(written / updated));
    }
}
