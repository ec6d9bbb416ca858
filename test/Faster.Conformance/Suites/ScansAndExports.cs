using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>Scans return each live key once, and exports take all of them to another store.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class ScansAndExports<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IScannedEngine<TKey, TValue>
    where TKey : notnull
{
    private static readonly ScanOptions SmallTable = new() { TableMemory = ByteSize.KiB(64) };

    /// <summary>The names of the shapes that can be scanned.</summary>
    public static TheoryData<string> ScannedShapes => [.. TEngine.ScannedShapes.Select(static shape => shape.Name)];

    [Theory]
    [MemberData(nameof(ScannedShapes))]
    public Task A_scan_returns_what_a_dictionary_has_and_one_as_of_a_commit_what_it_had(string shape) =>
        Seeded.RunAsync(1, seed => WithStore(shape, async store =>
        {
            Dictionary<TKey, TValue> model = Churn(store, shape, seed);
            AssertSame(model, await LiveAsync(store, new ScanOptions()));
            AssertSame(model, await LiveAsync(store, new ScanOptions { TableMemory = ByteSize.MiB(1) }));
            if (store.Scans!.CommitAsync is not null) AssertSame(model, await AsOfAsync(store, seed));
        }));

    [Theory]
    [MemberData(nameof(ScannedShapes))]
    public Task An_export_takes_all_to_another_store(string shape) =>
        Seeded.RunAsync(1, seed => WithStore(shape, source => WithStore(shape, async copy =>
        {
            Dictionary<TKey, TValue> model = Churn(source, shape, seed);
            TKey before = Flavor.Key(-1);
            UseSession(copy, session => session.UpsertNow(before, Flavor.Value(-1)));
            var bytes = new MemoryStream();
            Assert.Equal(model.Count, await source.Scans!.ExportAsync(bytes));
            bytes.Position = 0;
            Assert.Equal(model.Count, await copy.Scans!.ImportAsync(bytes));
            model.Add(before, Flavor.Value(-1));
            AssertSame(model, await LiveAsync(copy, new ScanOptions()));
            UseSession(copy, session =>
            {
                foreach (TKey[] some in model.Keys.Chunk(1_024))
                {
                    var results = new ReadResult<TValue>[some.Length];
                    session.ReadBatch(some, results);
                    for (int i = 0; i < some.Length; i++) AssertFound(model[some[i]], results[i], $"key {some[i]}");
                }
            });
        })));

    [Theory]
    [MemberData(nameof(ScannedShapes))]
    public Task A_scan_beside_writers_returns_what_stays_once(string shape) =>
        Seeded.RunAsync(1, seed => WithStore(shape, async store =>
        {
            const int Staying = 2_000, Scans = 3, Values = 9, MaxWrites = 300_000; // a log that is not compacted grows
            UseSession(store, session =>
            {
                for (int key = 0; key < Staying; key++) session.UpsertNow(Flavor.Key(key), Flavor.Value(key));
            });
            bool stop = false;
            Task writer = Task.Run(() => UseSession(store, session =>
            {
                var random = new Random(seed);
                for (int i = 0; i < MaxWrites && !Volatile.Read(ref stop); i++)
                {
                    int key = random.Next(2 * Staying);
                    if (key < Staying)
                        session.UpsertNow(Flavor.Key(key), Flavor.Value(key + (Staying * random.Next(Values))));
                    else if (random.Next(2) == 0) session.UpsertNow(Flavor.Key(key), Flavor.Bulky(key));
                    else _ = session.DeleteNow(Flavor.Key(key));
                }
            }));
            try
            {
                for (int i = 0; i < Scans; i++)
                {
                    Dictionary<TKey, TValue> live = await LiveAsync(store, SmallTable);
                    for (int key = 0; key < Staying; key++) AssertOneOf(key, live, Staying, Values);
                }
            }
            finally
            {
                Volatile.Write(ref stop, true);
                await writer;
            }
        }));

    // Which throws if a key comes twice.
    private static async Task<Dictionary<TKey, TValue>> LiveAsync(
        IStoreUnderTest<TKey, TValue> store, ScanOptions options)
    {
        Dictionary<TKey, TValue> live = NewModel();
        await foreach ((TKey key, TValue value) in store.Scans!.ScanAsync(options)) live.Add(key, value);
        return live;
    }

    // What a scan as of a new commit returns beside updates.
    private static async Task<Dictionary<TKey, TValue>> AsOfAsync(IStoreUnderTest<TKey, TValue> store, int seed)
    {
        Dictionary<TKey, TValue> found = NewModel();
        await using IAsyncEnumerator<(TKey Key, TValue Value)> scan = await ScanNewCommitAsync(store.Scans!);
        do
        {
            found.Add(scan.Current.Key, scan.Current.Value);
            if (!int.IsPow2(found.Count)) continue; // often at first, and about ten times in all
            UseSession(store, session => Change(session, NewModel(), new Random(seed), found.Count));
        }
        while (await scan.MoveNextAsync());
        return found;
    }

    // At the first record. A store that commits by itself may not keep the commit until the scan begins.
    private static async Task<IAsyncEnumerator<(TKey Key, TValue Value)>> ScanNewCommitAsync(
        StoreScans<TKey, TValue> scans)
    {
        for (;;)
        {
            var options = new ScanOptions { AsOf = await scans.CommitAsync!(), TableMemory = ByteSize.KiB(64) };
            IAsyncEnumerator<(TKey Key, TValue Value)> scan = scans.ScanAsync(options).GetAsyncEnumerator();
            try
            {
                Assert.True(await scan.MoveNextAsync(), "The scan as of a commit has found nothing.");
                return scan;
            }
            catch (FasterException e) when (e.Reason == ErrorReason.CommitUnavailable)
            {
                await scan.DisposeAsync();
            }
        }
    }

    private static Dictionary<TKey, TValue> Churn(IStoreUnderTest<TKey, TValue> store, string shape, int seed)
    {
        Dictionary<TKey, TValue> model = NewModel();
        UseSession(store, session =>
        {
            int keys = BulkyRecords(shape, 0.5), next = 0;
            var random = new Random(seed);
            for (int round = 0; round < 3; round++)
            {
                Fill(session, next, keys);
                for (int key = next; key < next + keys; key++) model[Flavor.Key(key)] = Flavor.Bulky(key);
                next += keys;
                Change(session, model, random, next);
            }
        });
        return model;
    }

    private static void Change(
        ISessionUnderTest<TKey, TValue> session, Dictionary<TKey, TValue> model, Random random, int keys)
    {
        for (int i = 0; i < 1_000; i++)
        {
            TKey key = Flavor.Key(random.Next(keys));
            switch (random.Next(3))
            {
                case 0:
                    _ = session.DeleteNow(key);
                    model.Remove(key);
                    break;
                case 1:
                    session.UpsertNow(key, model[key] = Flavor.Value(i));
                    break;
                default:
                    session.RmwNow(key, Flavor.Input(i));
                    model[key] = model.TryGetValue(key, out TValue? old)
                        ? Flavor.Model.Update(old, Flavor.Input(i))
                        : Flavor.Input(i);
                    break;
            }
        }
    }

    private static void AssertSame(Dictionary<TKey, TValue> model, Dictionary<TKey, TValue> live)
    {
        foreach ((TKey key, TValue value) in model)
            AssertFound(value, new(live.TryGetValue(key, out TValue? found), found!), $"key {key} of a scan");
        Assert.Equal(model.Count, live.Count);
    }

    private static void AssertOneOf(int key, Dictionary<TKey, TValue> live, int step, int values)
    {
        Assert.True(live.TryGetValue(Flavor.Key(key), out TValue? value), $"The scan misses key {key}.");
        Assert.Contains(
            Enumerable.Range(0, values).Select(i => Flavor.Value(key + (step * i))),
            expected => Flavor.Model.Equality.Equals(expected, value));
    }
}
