using Faster.Conformance.Contract;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Suites;

/// <summary>Histories of concurrent sessions are linearizable, key by key, whatever the store does meanwhile.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// The seed fixes the operations, not how the threads interleave: a replay issues the same operations again. A history
/// is one round of all sessions over up to three keys.
/// </remarks>
public abstract class ConcurrentHistories<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    private const int Sessions = 4;
    private const int HistoriesPerSeed = 7;
    private const int KeysPerHistory = 3;
    private const long FillerBase = 1_000_000_000;

    /// <summary>The number of seeds of each test with a budget of 1.</summary>
    protected virtual int Seeds => 1;

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Concurrent_histories_are_linearizable(string shape) =>
        RunAsync(shape, expectedKeys: 1_000, fillsPerStep: 0, cold: false);

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Histories_are_linearizable_while_the_index_grows(string shape) => RunAsync(
        shape, expectedKeys: 0, fillsPerStep: 16, cold: false,
        happened: static work => work.Growths > 0);

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Histories_are_linearizable_while_the_index_grows_and_shrinks(string shape) => RunAsync(
        shape, expectedKeys: 0, fillsPerStep: 2, cold: true, meanwhile: ResizeUntilAsync,
        happened: static work => work is { Growths: > 0, Shrinks: > 0 }, crowds: false);

    [Theory]
    [MemberData(nameof(SpillingShapes))]
    public Task Histories_of_cold_keys_are_linearizable_while_the_log_spills(string shape) => RunAsync(
        shape, expectedKeys: 0, Math.Max(1, BulkyRecords(shape, 1.0) / (HistoriesPerSeed * 48)), cold: true,
        happened: static work => work is { Spilled: true, DiskReads: > 0 });

    [Theory]
    [MemberData(nameof(SpillingShapes))]
    public Task Histories_are_linearizable_while_the_store_compacts(string shape) => RunAsync(
        shape, expectedKeys: 0, Math.Max(1, BulkyRecords(shape, 0.5) / (HistoriesPerSeed * 48)), cold: true,
        meanwhile: CompactUntilAsync, happened: static work => work.Copied > 0);

    private async Task RunAsync(
        string shape, long expectedKeys, int fillsPerStep, bool cold,
        Func<IStoreUnderTest<TKey, TValue>, CancellationToken, Task>? meanwhile = null,
        Func<StoreWork, bool>? happened = null, bool crowds = true)
    {
        var overlaps = new OverlapCount();
        await overlaps.RunAsync(Seeds, seed => WithStore(shape, async store =>
        {
            var round = new HistoryRound<TKey, TValue>(
                Flavor, seed, Sessions, HistoriesPerSeed, KeysPerHistory, cold);
            if (cold) UseSession(store, session => MakeCold(session, round, shape, crowds));
            StoreWork before = store.Work ?? default;
            bool Happened() => happened is null || store.Work is not { } now || happened(now - before);
            var rendezvous = new Rendezvous(Sessions);
            using var stop = new CancellationTokenSource();
            Task? other = meanwhile is null ? null : Task.Run(() => meanwhile(store, stop.Token));
            bool Over() => Happened() || other is { IsCompleted: true };
            try
            {
                Workers.Run(Sessions, worker => Play(store, round, rendezvous, worker, fillsPerStep, Over));
            }
            finally
            {
                await stop.CancelAsync();
                if (other is not null) await other;
            }

            round.Check(overlaps);
            Assert.True(Happened(), $"It did not happen beside the histories: {store.Work - before}");
        }, expectedKeys));
    }

    private static void Play(
        IStoreUnderTest<TKey, TValue> store, HistoryRound<TKey, TValue> round, Rendezvous rendezvous, int worker,
        int fillsPerStep, Func<bool> over)
    {
        try
        {
            UseSession(store, session => PlayAll(session, round, rendezvous, worker, fillsPerStep, over));
        }
        catch
        {
            rendezvous.GiveUp();
            throw;
        }
    }

    private static async Task CompactUntilAsync(IStoreUnderTest<TKey, TValue> store, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested && await store.CompactAsync()) await Task.Yield();
    }

    private static async Task ResizeUntilAsync(IStoreUnderTest<TKey, TValue> store, CancellationToken stop)
    {
        for (int i = 0; !stop.IsCancellationRequested; i++) await store.ResizeIndexAsync(grow: i % 4 < 2);
    }

    private static void MakeCold(
        ISessionUnderTest<TKey, TValue> session, HistoryRound<TKey, TValue> round, string shape, bool crowds)
    {
        for (long key = 0; key < HistoriesPerSeed * KeysPerHistory; key++)
            session.UpsertNow(Flavor.Key(key), round.InitialOf(key).Value!);
        int count = BulkyRecords(shape, 1.5);
        if (!crowds)
        {
            Churn(session, count);
            return;
        }

        Fill(session, FillerBase, count);
    }

    // Fills the log and not the index: a crowded index grows until its share of the memory is used up, and then cannot
    // be halved.
    private static void Churn(ISessionUnderTest<TKey, TValue> session, int count)
    {
        TKey[] keys = [.. Enumerable.Range(0, 500).Select(static i => Flavor.Key(FillerBase + i))];
        TValue[] values = [.. Enumerable.Range(0, 500).Select(static i => Flavor.Bulky(FillerBase + i))];
        for (int i = 0; i < count; i += keys.Length)
        {
            session.UpsertBatch(keys, values);
            session.DeleteBatch(keys);
        }
    }

    // What the store must do meanwhile may come late: the last history lasts until it has happened.
    private static void PlayAll(
        ISessionUnderTest<TKey, TValue> session, HistoryRound<TKey, TValue> round, Rendezvous rendezvous, int worker,
        int fillsPerStep, Func<bool> over)
    {
        long filler = FillerBase * (worker + 2);
        var keys = new TKey[fillsPerStep];
        var values = new TValue[fillsPerStep];
        for (int history = 0; history < HistoriesPerSeed; history++)
        {
            var player = new HistoryPlayer<TKey, TValue>(
                session, Flavor, round.Logs[history][worker], history * KeysPerHistory);
            rendezvous.Meet(history);
            Interleaving.Seed((round.Seed * Sessions) + worker + 1);
            bool isLast = history == HistoriesPerSeed - 1;
            player.Play(round.Plans[history].Steps[worker], () =>
            {
                for (int i = 0; i < fillsPerStep; i++, filler++)
                    (keys[i], values[i]) = (Flavor.Key(filler), Flavor.Bulky(filler));
                session.UpsertBatch(keys, values);
                if (isLast) SpinWait.SpinUntil(over);
            });
            Interleaving.Seed(0);
        }
    }
}
