using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Conformance.Histories;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>
/// Histories of records that expire are linearizable, expiry included. A record lives as long as the time stands still:
/// each tick deletes every key at one moment, and is recorded as a deletion in the history of each key.
/// </summary>
public sealed class FasterExpiringHistories
{
    private const int Players = 3, Histories = 10, Ticks = 6, KeysEach = 3;

    public static TheoryData<string, int> Shapes => new()
    {
        { "in memory", 0 },
        { "append only", 16 },
        { "hybrid", 16 },
        { "hybrid, narrow mutable region", 200 },
        { "hybrid with read cache", 100 },
    };

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Histories_of_records_that_expire_are_linearizable(string shape, int fillsPerStep)
    {
        var overlaps = new OverlapCount();
        return overlaps.RunAsync(4, async seed =>
        {
            var time = new TickingTime();
            EngineShape known = FasterShapes.All.Single(one => one.Name == shape);
            await using Counters.Store store = await Counters.OpenAsync(
                null, FasterShapes.OptionsOf(known, 1_000) with { TimeToLive = TickingTime.Tick, TimeProvider = time });
            var recorders = new HistoryRecorder<long>[Histories];
            var logs = new SessionLog<long>[Histories][];
            for (int i = 0; i < Histories; i++)
            {
                recorders[i] = new HistoryRecorder<long>();
                logs[i] = [.. Enumerable.Range(0, Players + 1).Select(_ => recorders[i].NewLog(64))];
            }

            var rendezvous = new Rendezvous(Players + 1);
            await Task.Run(() => Workers.Run(Players + 1, worker =>
            {
                try
                {
                    if (worker == Players) Tick(time, seed, rendezvous, logs);
                    else Play(store, seed, rendezvous, logs, worker, fillsPerStep);
                }
                catch
                {
                    rendezvous.GiveUp();
                    throw;
                }
            }));
            foreach (HistoryRecorder<long> recorder in recorders) Check(recorder, overlaps);
        });
    }

    private static void Play(
        Counters.Store store, int seed, Rendezvous rendezvous, SessionLog<long>[][] logs, int worker, int fills)
    {
        using Counters.Session session = store.StartSession();
        var adapted = new CounterSession(session);
        long filler = 1_000_000_000L * (worker + 2);
        long[] ones = [.. Enumerable.Repeat(1L, fills)];
        for (int history = 0; history < Histories; history++)
        {
            var player = new HistoryPlayer<long, long>(
                adapted, CounterFlavor.Instance, logs[history][worker], history * KeysEach);
            rendezvous.Meet(history);
            Interleaving.Seed((seed * 10) + worker + 1);
            player.Play(new HistoryPlan((seed * 1_000) + history, Players).Steps[worker], () =>
            {
                adapted.UpsertBatch([.. Enumerable.Range(0, fills).Select(i => filler + i)], ones);
                filler += fills;
            });
            Interleaving.Seed(0);
        }
    }

    private static void Tick(TickingTime time, int seed, Rendezvous rendezvous, SessionLog<long>[][] logs)
    {
        var random = new Random(seed);
        for (int history = 0; history < Histories; history++)
        {
            SessionLog<long> log = logs[history][Players];
            rendezvous.Meet(history);
            for (int tick = 0; tick < Ticks; tick++)
            {
                for (int pause = random.Next(20); pause > 0; pause--) Thread.Yield();
                Thread.SpinWait(random.Next(2_000));
                int[] asked = [.. Enumerable.Range(0, KeysEach)
                    .Select(key => log.Ask(OperationKind.Delete, (history * KeysEach) + key))];
                time.Advance();
                foreach (int number in asked) log.Answer(number, found: true);
            }
        }
    }

    private static void Check(HistoryRecorder<long> recorder, OverlapCount overlaps)
    {
        var checker = new LinearizabilityChecker<long>(CounterFlavor.Instance.Model);
        foreach (IGrouping<long, Operation<long>> key in recorder.ByKey())
        {
            overlaps.Add([.. key]);
            Violation<long>? violation = checker.Check(key, default);
            if (violation is not null) Assert.Fail($"Key {key.Key}; a tick stands as session {Players}. {violation}");
        }
    }
}
