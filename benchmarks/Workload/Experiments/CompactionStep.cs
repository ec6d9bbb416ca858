using System.Diagnostics;
using Faster.Workload.Cells;

namespace Faster.Workload.Experiments;

/// <summary>
/// Loads a store, replaces half of its records in random order, and compacts the oldest part of its log, about half of
/// which is live then (paper 003 §8.2, Fig. 10).
/// </summary>
internal static class CompactionStep
{
    private const int ValueBytes = 100;
    private const int Seed = 1;

    /// <summary>Runs once, in an empty folder.</summary>
    /// <exception cref="WrongAnswerException">A value is not the last one that was written.</exception>
    public static async Task<CompactionRunResult> RunAsync(
        IEngineSource source, string folder, CompactionSettings settings)
    {
        int[] order = new int[settings.Keys];
        for (int key = 0; key < order.Length; key++)
            order[key] = key;
        new Random(Seed).Shuffle(order);
        var shape = new EngineShape(settings.Keys, ValueBytes, settings.MemoryBytes)
        {
            CompactionThreads = settings.Threads,
        };
        await using IEngine opened = await source.OpenAsync(folder, shape);
        ICompactingEngine engine = opened as ICompactingEngine
            ?? throw new NotSupportedException($"{source.Name} is not compacted by this experiment.");
        AnswerCheck.Load(engine, settings.Keys);
        double recordBytes = (double)engine.LogBytes / settings.Keys;
        int replaced = settings.Keys / 2;
        AnswerCheck.Update(engine, order.AsMemory(0, replaced));
        CompactionRunResult result = await MeasureAsync(source.Name, engine, folder, recordBytes, settings);
        var isReplaced = new bool[settings.Keys];
        foreach (int key in order.AsSpan(0, replaced))
            isReplaced[key] = true;
        AnswerCheck.CheckUpdated(engine, settings.Keys, key => isReplaced[key]);
        return result;
    }

    private static async Task<CompactionRunResult> MeasureAsync(
        string name, ICompactingEngine engine, string folder, double recordBytes, CompactionSettings settings)
    {
        PageCache.Drop(folder);
        long length = engine.LogBytes;
        long part = (long)(length * settings.Part);
        long? resident = ProcessMemory.ResidentBytes();
        bool tellsPeak = ProcessMemory.TryResetPeak();
        IOCounters? before = IOCounters.Now(null);
        long start = Stopwatch.GetTimestamp();
        await engine.CompactAsync(part, settings.Method);
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        long? peak = tellsPeak ? ProcessMemory.PeakBytes() - resident : null;
        IOCounters? after = IOCounters.Now(null);
        return new CompactionRunResult
        {
            Engine = name,
            Workload = "compaction",
            Distribution = EnumNames.Of(KeyDistribution.Uniform),
            Keys = settings.Keys,
            Threads = settings.Threads,
            OperationsPerSecond = part / recordBytes / seconds,
            ValueBytes = ValueBytes,
            MemoryBytes = settings.MemoryBytes,
            Method = EnumNames.Of(settings.Method),
            CompactedBytes = part,
            CopiedBytes = engine.LogBytes - (length - part),
            Seconds = seconds,
            PeakBytes = peak,
            BytesRead = after?.ProcessRead - before?.ProcessRead,
            BytesWritten = after?.ProcessWritten - before?.ProcessWritten,
        };
    }
}
