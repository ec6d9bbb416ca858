using Faster.Workload.Experiments;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>
/// Loads a store, lets clients run transactions of each kind, and then checks that no update was lost or made up.
/// </summary>
/// <remarks>
/// An engine that has a loop without locks beside it works in turns with that, a slice of 50 ms each: what the machine
/// does meanwhile meets both alike. So does the same engine with CPR, beside another way to commit.
/// </remarks>
internal static class TransactionStep
{
    /// <summary>Runs once, in an empty folder.</summary>
    /// <exception cref="WrongAnswerException">The engine lost, made up or confused a value.</exception>
    /// <exception cref="NotSupportedException">The engine runs no transactions.</exception>
    public static async Task RunAsync(
        IEngineSource source, string folder, TransactionSettings settings, Action<StepResult> tell)
    {
        await using IEngine opened = await source.OpenAsync(
            folder, new EngineShape(settings.Keys, sizeof(long), null));
        ITransactionEngine engine = opened as ITransactionEngine
            ?? throw new NotSupportedException($"{source.Name} runs no transactions.");
        engine.Load(settings.Keys);
        List<ITransactionEngine> engines = [engine];
        await using ITransactionEngine? yardstick = settings.HasYardstick ? engine.OpenYardstick(settings.Keys) : null;
        TransactionReferences? references =
            settings.HasYardstick ? await engine.OpenReferencesAsync(settings.Keys) : null;
        await using ITransactionEngine? plain = references?.Plain;
        foreach (ITransactionEngine? beside in new[] { yardstick, plain })
        {
            if (beside is null) continue;
            beside.Load(settings.Keys);
            engines.Add(beside);
        }

        if (settings.HasBreakdown && references?.WithTail is { } withTail) engines.Add(withTail);
        long updates = 0;
        foreach (TransactionCell cell in settings.Cells)
        {
            var run = new TransactionRun(engines, settings, cell);
            StepResult result = settings.Commits > 0 ? await run.MeasureWindowsAsync(source.Name)
                : settings.CommitTimes.Count > 0 ? await run.MeasureCommitsAsync(source.Name)
                : run.Measure(source.Name);
            updates += run.UpdatesFor(0);
            tell(result);
        }

        if (engine.IsSerializable) Check(engine, settings.Keys, updates);
    }

    private static void Check(ITransactionEngine engine, int keys, long updates)
    {
        const int Chunk = 256;
        using ITransactionWorker worker = engine.StartTransactions();
        long[] chunk = new long[Chunk];
        Int128 found = 0, expected = ((Int128)keys * (keys - 1) / 2) + ((Int128)keys * updates);
        for (long first = 0; first < keys; first += Chunk)
        {
            int count = (int)Math.Min(Chunk, keys - first);
            for (int i = 0; i < count; i++) chunk[i] = first + i;
            found += worker.Run(chunk.AsSpan(0, count), [], 0);
        }

        if (found != expected)
            throw new WrongAnswerException($"The values sum up to {found}, but must to {expected}.");
    }
}
