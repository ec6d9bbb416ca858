using Faster.Workload.Cells;
using Faster.Workload.Experiments;

namespace Faster.Workload.Writes;

/// <summary>Has clients write durably for a while, and then checks that nothing they were told of is missing.</summary>
internal static class DurableStep
{
    private const double SampleInterval = 0.05;

    /// <summary>Runs once, in an empty folder.</summary>
    /// <exception cref="WrongAnswerException">The engine lost, made up or confused a value.</exception>
    /// <exception cref="NotSupportedException">The engine's writes are not durable when they return.</exception>
    public static async Task<DurableResult> RunAsync(IEngineSource source, string folder, DurableSettings settings)
    {
        WriteShape shape = WriteShape.TryParse(settings.Shape, out WriteShape? parsed)
            ? parsed
            : throw new FormatException($"'{settings.Shape}' is no form of writes.");
        await using IEngine opened = await source.OpenAsync(
            folder, new EngineShape(settings.Keys, DurableSettings.ValueBytes, settings.MemoryBytes));
        IDurableEngine engine = opened as IDurableEngine
            ?? throw new NotSupportedException($"{source.Name} does not acknowledge durable writes.");
        AnswerCheck.Load(engine, settings.Keys);
        // Many threads share what few would draw: there is no memory for a whole stream each.
        var draw = new KeyDraw(settings.Keys, settings.Distribution)
        {
            Length = KeyStream.LengthOfChunks(KeyStream.LengthFor(settings.Keys) / shape.Sessions),
        };
        WriteSession[] sessions =
            [.. draw.Streams(shape.Sessions).Select(stream => new WriteSession(engine, shape, stream))];
        DurableFigures figures = await MeasureAsync(
            engine, sessions, shape, IOCounters.DeviceOf(folder), settings);
        return figures.ResultOf(source.Name, shape, settings, Check(engine, sessions, settings.Keys));
    }

    private static async Task<DurableFigures> MeasureAsync(
        IDurableEngine engine, WriteSession[] sessions, WriteShape shape, string? device, DurableSettings settings)
    {
        foreach (WriteSession session in sessions)
            session.Start();
        await WaitAsync(sessions, settings.WarmUpSeconds);
        Measure(sessions, isMeasured: true);
        IOCounters? before = IOCounters.Now(device);
        SyncCounts? syncs = engine.Syncs;
        long Done() => sessions.Sum(session => session.Done);
        long done = Done();
        using var sampler = new Sampler(SampleInterval, settings.Seconds, () => (Done(), 0));
        do await WaitAsync(sessions, settings.Seconds);
        while (Done() == done && !sessions.Any(session => session.HasEnded)); // a busy machine may run none meanwhile
        Timeline timeline = sampler.Finish();
        SyncCounts? made = engine.Syncs is { } after && syncs is { } first
            ? new SyncCounts(after.Count - first.Count, after.Seconds - first.Seconds)
            : null;
        IOCounters? ended = IOCounters.Now(device);
        Measure(sessions, isMeasured: false);
        foreach (WriteSession session in sessions)
            session.RequestStop();
        await Task.WhenAll(sessions.Select(session => session.JoinAsync()));

        var latencies = new LatencyHistogram();
        foreach (WriteSession session in sessions)
            latencies.Add(session.Latencies);
        if (engine.SyncsEachCall)
            made = new SyncCounts(latencies.Count, null);
        int each = shape.Form == WriteForm.Batches ? shape.Each : 1;
        return new DurableFigures(timeline, LatencyResult.Of(latencies, each), made, before, ended);
    }

    // A client that fails ends the wait: what it failed with comes out where it is joined.
    private static async Task WaitAsync(WriteSession[] sessions, double seconds)
    {
        const double Step = 0.1;
        for (double left = seconds; left > 0 && !sessions.Any(session => session.HasEnded); left -= Step)
            await Task.Delay(TimeSpan.FromSeconds(Math.Min(left, Step)));
    }

    private static void Measure(WriteSession[] sessions, bool isMeasured)
    {
        foreach (WriteSession session in sessions)
            session.Measure(isMeasured);
    }

    private static long Check(IDurableEngine engine, WriteSession[] sessions, int keys)
    {
        var expected = ExpectedValues.OfLoad(keys, all: true);
        foreach (WriteSession session in sessions)
            expected.Note(session.Stream, session.Done, YcsbWorkload.Known("upsert"), AnswerCheck.Updated);
        return expected.Check(engine);
    }
}
