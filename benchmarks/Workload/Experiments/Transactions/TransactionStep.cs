using System.Diagnostics;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>
/// Loads a store, lets threads run transactions of each kind, and then checks that no update was lost or made up.
/// </summary>
/// <remarks>
/// An engine that has a loop without locks beside it works in turns with that, a slice of 50 ms each: what the machine
/// does meanwhile meets both alike.
/// </remarks>
internal static class TransactionStep
{
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(50), Settling = TimeSpan.FromMilliseconds(2);

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
        await using ITransactionEngine? yardstick =
            settings.CommitTimes.Count == 0 ? engine.OpenYardstick(settings.Keys) : null;
        yardstick?.Load(settings.Keys);
        ITransactionEngine[] engines = yardstick is null ? [engine] : [engine, yardstick];
        long[] updates = new long[engines.Length];
        foreach (TransactionCell cell in settings.Cells)
        {
            var run = new TransactionRun(engines, settings, cell);
            StepResult result = settings.CommitTimes.Count == 0
                ? run.Measure(source.Name, Slice, Settling)
                : await run.MeasureCommitsAsync(source.Name);
            for (int i = 0; i < engines.Length; i++) updates[i] += run.UpdatesFor(i);
            tell(result);
        }

        for (int i = 0; i < engines.Length; i++)
            if (engines[i].IsSerializable) Check(engines[i], settings.Keys, updates[i]);
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
