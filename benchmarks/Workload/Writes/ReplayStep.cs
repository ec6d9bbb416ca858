using System.Diagnostics;

namespace Faster.Workload.Writes;

/// <summary>
/// Writes to a store whose process then ends at once, as a crash would end it; and opens it in another process, which
/// must find every value.
/// </summary>
internal static class ReplayStep
{
    /// <summary>Writes in an empty folder.</summary>
    /// <param name="source">Where the store comes from.</param>
    /// <param name="folder">The folder.</param>
    /// <param name="settings">What is written.</param>
    /// <param name="end">Ends the process: the store must not be closed.</param>
    public static async Task WriteAsync(
        IEngineSource source, string folder, ReplaySettings settings, Action end)
    {
        IEngine engine = await OpenAsync(source, folder, settings);
        IWorker worker = engine.StartWorker();
        long[] keys = new long[KeyStream.ChunkLength];
        for (long first = 0; first < settings.Writes; first += keys.Length)
        {
            int count = (int)Math.Min(keys.Length, settings.Writes - first);
            for (int i = 0; i < count; i++)
                keys[i] = (first + i) % settings.Keys;
            worker.Upsert(keys.AsSpan(0, count), AnswerCheck.Updated);
        }

        end();
    }

    /// <summary>Opens the store that was left.</summary>
    /// <exception cref="WrongAnswerException">A value that was acknowledged is not there.</exception>
    public static async Task<ReplayResult> RunAsync(IEngineSource source, string folder, ReplaySettings settings)
    {
        long start = Stopwatch.GetTimestamp();
        await using IEngine engine = await OpenAsync(source, folder, settings);
        AnswerCheck.CheckUpdated(engine, 1, _ => true);
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        int written = (int)Math.Min(settings.Keys, settings.Writes);
        AnswerCheck.CheckUpdated(engine, written, _ => true);
        return new ReplayResult
        {
            Engine = source.Name,
            Workload = "upsert",
            Distribution = EnumNames.Of(KeyDistribution.Uniform),
            Keys = settings.Keys,
            Threads = 0,
            OperationsPerSecond = 0,
            WrittenBytes = settings.Writes * DurableSettings.RecordBytes,
            RecoverySeconds = seconds,
            Checked = written,
        };
    }

    private static Task<IEngine> OpenAsync(IEngineSource source, string folder, ReplaySettings settings) =>
        source.OpenAsync(folder, new EngineShape(settings.Keys, DurableSettings.ValueBytes, settings.MemoryBytes));
}
