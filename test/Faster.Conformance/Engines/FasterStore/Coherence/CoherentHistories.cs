using Faster.Conformance.Contract;
using Faster.Conformance.Histories;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// The read cache beside all maintenance at once: sessions read, write and delete keys that are on disk while the store
/// compacts, truncates, grows and shrinks its index, commits and scans. Every history is linearizable, each key that
/// never changes is there, each key that was truncated is not, and a recovery finds what was there at the end. Where
/// records may expire, those of the histories live as long as the time stands still: a tick deletes each of them.
/// </summary>
/// <typeparam name="TKind">The kind of store.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
/// <remarks>
/// The seed decides the operations, the maintenance and during which history it runs, but not how threads interleave. A
/// history lasts as long as the maintenance during it.
/// </remarks>
public abstract class CoherentHistories<TKind, TKey, TValue>
    where TKind : ICoherentKind<TKey, TValue>
    where TKey : notnull
{
    private const int Sessions = 4;
    private const int HistoriesPerSeed = 8;
    private const int KeysPerHistory = 3;
    private const int ChoresPerHistory = 3;
    private const int FillsPerHistory = 12; // half of the steps of most plans
    private const int RecordsPerFill = 40;
    private const int OneTickIn = 3;

    [Fact]
    public async Task Histories_are_linearizable_beside_all_that_the_store_does()
    {
        long hits = 0, copied = 0;
        var overlaps = new OverlapCount();
        int growths = 0, shrinks = 0;
        await overlaps.RunAsync(2, seed => WithFolder(async folder =>
        {
            var run = new Run(seed, overlaps);
            StoreStatistics done = await run.PlayAsync(folder);
            hits += done.ReadCacheHits;
            copied += done.RecordsCopied;
            growths += done.IndexGrowths;
            shrinks += done.IndexShrinks;
            await run.RecoverAsync(folder);
        }), first: 1, () => Seeded.IsReplay || hits > 1_000); // fewer on a busy machine
        if (Seeded.IsReplay) return;
        Assert.True(hits > 1_000, $"The cache was hit {hits} times only.");
        Assert.True(copied > 1_000, $"{copied} records were copied by compaction.");
        Assert.True(growths > 0 && shrinks > 0, $"{growths} growths and {shrinks} shrinks of the index");
    }

    private static async Task WithFolder(Func<string, Task> run)
    {
        string folder = Directory.CreateTempSubdirectory("faster-coherence-").FullName;
        try
        {
            await Task.Run(() => run(folder));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private sealed class Run
    {
        private static readonly Flavor<TKey, TValue> Flavor = TKind.Flavor;

        private readonly int _seed;
        private readonly HistoryRound<TKey, TValue> _round;
        private readonly FleetingKeys<TKey, TValue>? _fleeting;
        private readonly HistoryTicks<TKey, TValue>? _ticks;
        private readonly DoomedKeys<TKey, TValue> _doomed = new(Flavor, Sessions);
        private readonly SteadyKeys<TKey, TValue> _steady = new(Flavor);
        private readonly HandTime _time = new();
        private readonly Rendezvous _rendezvous = new(Sessions + 1);
        private readonly Dictionary<long, ReadResult<TValue>> _last = [];

        private readonly OverlapCount _overlaps;

        public Run(int seed, OverlapCount overlaps)
        {
            (_seed, _overlaps) = (seed, overlaps);
            _round = new(Flavor, seed, Sessions, HistoriesPerSeed, KeysPerHistory, cold: true);
            if (!TKind.Expires) return;
            _fleeting = new(Flavor, _time, Sessions, HistoriesPerSeed * HistoryTicks<TKey, TValue>.Each);
            _ticks = new(_round, _time, _fleeting);
        }

        public async Task<StoreStatistics> PlayAsync(string folder)
        {
            await using FasterStoreUnderTest<TKey, TValue> store =
                await TKind.OpenAsync(folder, CoherenceShape.Options(cached: true, _time));
            await LoadAsync(store);
            var chores = new Chores<TKey, TValue>(store, _doomed, _steady, _seed);
            Task others = Task.Run(() => MaintainAsync(chores));
            try
            {
                Workers.Run(Sessions, worker => Play(store, chores, worker));
            }
            finally
            {
                _rendezvous.GiveUp();
                await others;
            }

            await chores.FinishAsync();
            store.Use(ReadAtTheEnd);
            _round.Check(_overlaps);
            _doomed.Check();
            _fleeting?.Check();
            StoreStatistics done = store.Statistics;
            Assert.Null(done.LastFault);
            await store.CommitAsync((CommitKind)(_seed % 3), _seed % 2 == 0);
            return done;
        }

        public async Task RecoverAsync(string folder)
        {
            await using FasterStoreUnderTest<TKey, TValue> store =
                await TKind.OpenAsync(folder, CoherenceShape.Options(cached: true, _time));
            store.Use(session =>
            {
                for (int round = 0; round < 2; round++)
                {
                    _steady.ReadAll(session);
                    foreach ((long key, ReadResult<TValue> last) in _last)
                    {
                        ReadResult<TValue> found = session.ReadNow(Flavor.Key(key));
                        bool same = found.Found == last.Found
                            && (!last.Found || Flavor.Model.Equality.Equals(last.Value, found.Value));
                        Assert.True(same, $"Key {key} is not after the recovery what it was before.");
                    }
                }

                if (TKind.Expires) ExpireAll(session);
            });
        }

        private void ExpireAll(ISessionUnderTest<TKey, TValue> session)
        {
            _time.Advance();
            foreach (long key in _last.Keys)
                Assert.False(session.ReadNow(Flavor.Key(key)).Found, $"Key {key} has outlived its time.");
            _steady.ReadAll(session);
        }

        // What will be truncated is written first.
        private async Task LoadAsync(FasterStoreUnderTest<TKey, TValue> store)
        {
            _doomed.Load(store);
            store.Use(session =>
            {
                _steady.Load(session);
                for (int key = 0; key < HistoriesPerSeed * KeysPerHistory; key++)
                {
                    long life = HistoryTicks<TKey, TValue>.UntilFirstOf(key / KeysPerHistory);
                    if (TKind.Expires) CoherenceShape.LiveFor(session, life);
                    session.UpsertNow(Flavor.Key(key), _round.InitialOf(key).Value!);
                }

                _fleeting?.Load(session);
            });
            await CoherenceShape.SpillAsync(store, Flavor);
        }

        private async Task MaintainAsync(Chores<TKey, TValue> chores)
        {
            try
            {
                for (int history = 0; history < HistoriesPerSeed; history++)
                {
                    _rendezvous.Meet(history);
                    await chores.DoAsync(ChoresPerHistory);
                }
            }
            catch (OperationCanceledException)
            {
                // A session has failed and reports why.
            }
            catch
            {
                _rendezvous.GiveUp();
                throw;
            }
        }

        private void Play(FasterStoreUnderTest<TKey, TValue> store, Chores<TKey, TValue> chores, int worker)
        {
            try
            {
                store.Use(session => PlayAll(session, chores, worker));
            }
            catch
            {
                _rendezvous.GiveUp();
                throw;
            }
        }

        private void PlayAll(ISessionUnderTest<TKey, TValue> session, Chores<TKey, TValue> chores, int worker)
        {
            if (TKind.Expires) CoherenceShape.LiveFor(session, 1);
            var random = new Random((_seed * Sessions) + worker);
            HistoryTicks<TKey, TValue>? ticks = worker == 0 ? _ticks : null;
            for (int history = 0; history < HistoriesPerSeed; history++)
            {
                var player = new HistoryPlayer<TKey, TValue>(
                    session, Flavor, _round.Logs[history][worker], history * KeysPerHistory);
                _rendezvous.Meet(history);
                Interleaving.Seed((_seed * Sessions) + worker + 1);
                int fills = 0;
                player.Play(_round.Plans[history].Steps[worker], () =>
                {
                    Fill(session, random);
                    if (ticks is not null && random.Next(OneTickIn) == 0) ticks.Pass(history);
                    _doomed.ReadNext(session, worker);
                    _fleeting?.ReadSome(session, worker);
                    int due = Math.Min(++fills * ChoresPerHistory / FillsPerHistory, ChoresPerHistory);
                    do _steady.ReadOne(session, random);
                    while (chores.Done < (history * ChoresPerHistory) + due);
                });
                Interleaving.Seed(0);
                ticks?.Finish(history);
            }
        }

        // Half of the fillers expire, too.
        private void Fill(ISessionUnderTest<TKey, TValue> session, Random random)
        {
            if (TKind.Expires) CoherenceShape.LiveFor(session, random.Next(2));
            CoherenceShape.Fill(session, Flavor, random.Next(1 << 20), RecordsPerFill);
            if (TKind.Expires) CoherenceShape.LiveFor(session, 1);
        }

        private void ReadAtTheEnd(ISessionUnderTest<TKey, TValue> session)
        {
            _steady.ReadAll(session);
            for (long key = 0; key < HistoriesPerSeed * KeysPerHistory; key++)
            {
                SessionLog<TValue> log = _round.NewLog((int)key / KeysPerHistory);
                int asked = log.Ask(OperationKind.Read, key);
                ReadResult<TValue> found = _last[key] = session.ReadNow(Flavor.Key(key));
                log.Answer(asked, found.Found, found.Value);
            }
        }
    }
}
