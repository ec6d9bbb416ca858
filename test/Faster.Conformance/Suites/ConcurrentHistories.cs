using Faster.Conformance.Contract;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Suites;

/// <summary>Histories of concurrent sessions are linearizable, key by key, whatever the store does meanwhile.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// The seed fixes what is asked, not how the threads interleave: a replay tries the same questions again. A history is
/// one meeting of all sessions over up to three keys.
/// </remarks>
public abstract class ConcurrentHistories<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    private const int Sessions = 4;
    private const int HistoriesPerSeed = 10;
    private const int KeysPerHistory = 3;
    private const long FillerBase = 1_000_000_000;

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Concurrent_histories_are_linearizable(string shape) =>
        RunAsync(shape, expectedKeys: 1_000, fillsPerStep: 0, cold: false);

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Histories_are_linearizable_while_the_index_grows(string shape) =>
        RunAsync(shape, expectedKeys: 0, fillsPerStep: 16, cold: false);

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Histories_are_linearizable_while_the_index_grows_and_shrinks(string shape) =>
        RunAsync(shape, expectedKeys: 0, fillsPerStep: 2, cold: true, meanwhile: ResizeUntilAsync);

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Histories_of_cold_keys_are_linearizable_while_the_log_spills(string shape) =>
        RunAsync(shape, expectedKeys: 0, Math.Max(1, BulkyRecords(shape, 1.0) / (HistoriesPerSeed * 48)), cold: true);

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Histories_are_linearizable_while_the_store_compacts(string shape) => RunAsync(
        shape, expectedKeys: 0, Math.Max(1, BulkyRecords(shape, 0.5) / (HistoriesPerSeed * 48)), cold: true,
        meanwhile: CompactUntilAsync);

    private async Task RunAsync(
        string shape, long expectedKeys, int fillsPerStep, bool cold,
        Func<IStoreUnderTest<TKey, TValue>, CancellationToken, Task>? meanwhile = null)
    {
        int overlaps = 0;
        await Seeded.RunAsync(2, seed => WithStore(shape, async store =>
        {
            var round = new HistoryRound<TKey, TValue>(
                Flavour, seed, Sessions, HistoriesPerSeed, KeysPerHistory, cold);
            if (cold) UseSession(store, session => MakeCold(session, round, shape));
            var rendezvous = new Rendezvous(Sessions);
            using var stop = new CancellationTokenSource();
            Task other = meanwhile is null ? Task.CompletedTask : Task.Run(() => meanwhile(store, stop.Token));
            try
            {
                Workers.Run(Sessions, worker => Play(store, round, rendezvous, worker, fillsPerStep));
            }
            finally
            {
                await stop.CancelAsync();
                await other;
            }

            round.Check();
            overlaps += round.Overlaps;
        }, expectedKeys));
        Assert.True(overlaps > 0, "No two operations overlapped: the histories show nothing.");
    }

    private static void Play(
        IStoreUnderTest<TKey, TValue> store, HistoryRound<TKey, TValue> round, Rendezvous rendezvous, int worker,
        int fillsPerStep)
    {
        try
        {
            UseSession(store, session => PlayAll(session, round, rendezvous, worker, fillsPerStep));
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
        ISessionUnderTest<TKey, TValue> session, HistoryRound<TKey, TValue> round, string shape)
    {
        for (long key = 0; key < HistoriesPerSeed * KeysPerHistory; key++)
            session.UpsertNow(Flavour.Key(key), round.InitialOf(key).Value!);
        Fill(session, FillerBase, BulkyRecords(shape, 1.5));
    }

    private static void PlayAll(
        ISessionUnderTest<TKey, TValue> session, HistoryRound<TKey, TValue> round, Rendezvous rendezvous, int worker,
        int fillsPerStep)
    {
        long filler = FillerBase * (worker + 2);
        var keys = new TKey[fillsPerStep];
        var values = new TValue[fillsPerStep];
        for (int history = 0; history < HistoriesPerSeed; history++)
        {
            var player = new HistoryPlayer<TKey, TValue>(
                session, Flavour, round.Logs[history][worker], history * KeysPerHistory);
            rendezvous.Meet(history);
            Interleaving.Seed((round.Seed * Sessions) + worker + 1);
            player.Play(round.Plans[history].Steps[worker], () =>
            {
                for (int i = 0; i < fillsPerStep; i++, filler++)
                    (keys[i], values[i]) = (Flavour.Key(filler), Flavour.Bulky(filler));
                session.UpsertBatch(keys, values);
            });
            Interleaving.Seed(0);
        }
    }
}
