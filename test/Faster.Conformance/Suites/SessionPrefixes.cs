using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>
/// Sessions with keys of their own work beside commits of each kind. Every commit, scanned at once, after it was
/// recovered, and as the one before, has exactly what its points say of each session; so has the store itself.
/// </summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class SessionPrefixes<TEngine, TKey, TValue> : DurableSuite<TEngine, TKey, TValue>
    where TEngine : IDurableEngine<TKey, TValue>
    where TKey : notnull
{
    private const int Keys = 60, Rounds = 4, StepsOfRound = 200, MaxStepsBeside = 500, KeysOfUnit = 8;
    private const long NumbersApart = 1_000_000, FirstFiller = 1_000_000_000;

    [Theory]
    [MemberData(nameof(DurableShapes))]
    public Task A_commit_has_the_prefix_of_each_session_and_nothing_else(string shape) =>
        Seeded.RunAsync(1, seed => new Run(shape, seed).PlayAsync(this));

    /// <summary>The store of one seed, in all its lives.</summary>
    private sealed class Run(string shape, int seed)
    {
        private readonly int _fillers = // in the end more than the memory
            (int)(DurableShapeOf(shape).RecordMemory.Bytes / 6 / Flavor.BulkyRecordSize);
        private IReadOnlyList<CommitPoint> _told = [];
        private int _commits;

        public async Task PlayAsync(SessionPrefixes<TEngine, TKey, TValue> suite)
        {
            await suite.LiveAsync(shape, expectedKeys: 1_000, CheckAsync, Work, CommitAsync);
            for (int client = 0; client < Clients; client++)
            {
                long done = SerialOf(_told, client);
                Assert.True(done >= Lives * (Rounds - 1) * StepsOfRound, $"Client {client} has come to {done} only.");
            }
        }

        private async Task CheckAsync(IStoreUnderTest<TKey, TValue> store, int life)
        {
            IReadOnlyList<Commit> scannable = store.Durability!.Scannable();
            Assert.Equal(life != 0 || DurableShapeOf(shape).IsEachDurable, scannable.Count > 0);
            foreach (Commit commit in scannable) await CompareAsync(store, commit);
            var points = new List<CommitPoint>();
            for (int client = 0; client < Clients; client++)
            {
                UseNamed(store, client, named => points.Add(named.Point));
                long told = SerialOf(_told, client);
                Assert.True(points[client].SerialNumber >= told, $"Client {client} was thrown back, behind {told}.");
            }

            Dictionary<TKey, TValue> model = ModelAt(points);
            TKey[] keys = [.. Enumerable.Range(0, Clients * Keys).Select(key => KeyOf(key / Keys, key % Keys))];
            var found = new ReadResult<TValue>[keys.Length];
            UseSession(store, session => session.ReadBatch(keys, found));
            for (int i = 0; i < keys.Length; i++) AssertSame(model, keys[i], found[i], $"key {i} after a recovery");
        }

        private void Work(IStoreUnderTest<TKey, TValue> store, int client, Rendezvous rendezvous) =>
            UseNamed(store, client, named =>
            {
                long number = named.Point.SerialNumber;
                for (int round = 0; round < Rounds; round++)
                {
                    rendezvous.Meet(2 * round);
                    for (int i = 0; i < StepsOfRound; i++) Do(named, client, ++number);
                    rendezvous.Meet((2 * round) + 1);
                    int until = Volatile.Read(ref _commits);
                    for (int i = 0; i < MaxStepsBeside && Volatile.Read(ref _commits) == until; i++)
                        Do(named, client, ++number);
                }
            });

        // One commit a round, beside steps and records that leave memory.
        private async Task CommitAsync(IStoreUnderTest<TKey, TValue> store, int life, Rendezvous rendezvous)
        {
            for (int round = 0; round < Rounds; round++)
            {
                rendezvous.Meet(2 * round);
                UseSession(store, session => Fill(session, FirstFiller, _fillers));
                rendezvous.Meet((2 * round) + 1);
                Commit commit = await store.Durability!.CommitAsync((CommitKind)((round + life) % 3), round % 3 == 1);
                Interlocked.Increment(ref _commits);
                _told = commit.Points;
                await CompareAsync(store, commit);
                if (round == Rounds / 2) _ = await store.CompactAsync();
            }
        }

        private async Task CompareAsync(IStoreUnderTest<TKey, TValue> store, Commit commit)
        {
            Dictionary<TKey, TValue> model = ModelAt(commit.Points), found = NewModel();
            await foreach ((TKey key, TValue value) in store.Scans!.ScanAsync(new ScanOptions { AsOf = commit }))
                found.Add(key, value);
            for (int i = 0; i < Clients * Keys; i++)
            {
                TKey key = KeyOf(i / Keys, i % Keys);
                bool exists = found.TryGetValue(key, out TValue? value);
                AssertSame(model, key, new(exists, value!), $"key {i} as of commit {commit.Version}");
            }
        }

        private Dictionary<TKey, TValue> ModelAt(IReadOnlyList<CommitPoint> points)
        {
            Dictionary<TKey, TValue> model = NewModel();
            for (int client = 0; client < Clients; client++)
            {
                if (PointOf(points, client) is not { } point) continue;
                for (long number = 1; number <= point.SerialNumber; number++)
                    if (point.Covers(number)) Apply(model, client, number);
            }

            return model;
        }

        private void Do(NamedSession<TKey, TValue> named, int client, long number)
        {
            (StepKind kind, TKey[] keys) = StepOf(client, number);
            long of = NumberOf(client, number);
            switch (kind)
            {
                case StepKind.Put:
                    named.Session.UpsertNow(keys[0], Flavor.Value(of));
                    break;
                case StepKind.PutBulky:
                    named.Session.UpsertNow(keys[0], Flavor.Bulky(of));
                    break;
                case StepKind.Update:
                    named.Session.RmwNow(keys[0], Flavor.Input(of));
                    break;
                case StepKind.Delete:
                    _ = named.Session.DeleteNow(keys[0]);
                    break;
                case StepKind.Unit:
                    named.RmwUnit(keys, [.. keys.Select(_ => Flavor.Input(of))], number);
                    break;
                default:
                    _ = named.Session.ReadNow(keys[0]);
                    break;
            }
        }

        private void Apply(Dictionary<TKey, TValue> model, int client, long number)
        {
            (StepKind kind, TKey[] keys) = StepOf(client, number);
            long of = NumberOf(client, number);
            switch (kind)
            {
                case StepKind.Put:
                    model[keys[0]] = Flavor.Value(of);
                    break;
                case StepKind.PutBulky:
                    model[keys[0]] = Flavor.Bulky(of);
                    break;
                case StepKind.Update or StepKind.Unit:
                    TValue input = Flavor.Input(of);
                    foreach (TKey key in keys)
                        model[key] = model.TryGetValue(key, out TValue? old) ? Flavor.Model.Update(old, input) : input;
                    break;
                case StepKind.Delete:
                    model.Remove(keys[0]);
                    break;
            }
        }

        private (StepKind Kind, TKey[] Keys) StepOf(int client, long number)
        {
            Random random = DrawsOf(seed, client, number);
            var kind = (StepKind)random.Next((int)StepKind.Last + 1);
            int first = random.Next(Keys), count = kind == StepKind.Unit ? KeysOfUnit : 1;
            return (kind, [.. Enumerable.Range(first, count).Select(key => KeyOf(client, key % Keys))]);
        }

        private static TKey KeyOf(int client, int key) => Flavor.Key(NumberOf(client, key));

        private static long NumberOf(int client, long number) => (client * NumbersApart) + number;

        private static long SerialOf(IReadOnlyList<CommitPoint> points, int client) =>
            PointOf(points, client)?.SerialNumber ?? 0;

        private static CommitPoint? PointOf(IReadOnlyList<CommitPoint> points, int client) =>
            points.FirstOrDefault(point => point.SessionName == NameOf(client));
    }

    private enum StepKind
    {
        Put,
        PutBulky,
        Update,
        Delete,
        Unit,
        Last, // reads
    }
}
