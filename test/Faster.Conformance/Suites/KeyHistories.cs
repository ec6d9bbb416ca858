using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>
/// The history of a key has states that the key had, newest first and none twice, from its present one on; also beside
/// a writer.
/// </summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class KeyHistories<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IHistoryEngine<TKey, TValue>
    where TKey : notnull
{
    private const int Keys = 20;
    private const long FirstFiller = 1_000_000_000;

    /// <summary>The names of the shapes with histories.</summary>
    public static TheoryData<string> HistoryShapes => [.. TEngine.ScannedShapes.Select(static shape => shape.Name)];

    /// <summary>The names of a few of them whose data leaves memory.</summary>
    public static TheoryData<string> MovingShapes =>
    [
        .. TEngine.ScannedShapes.Where(static shape => shape is { Spills: true, IsTypical: true })
            .Select(static shape => shape.Name),
    ];

    [Theory]
    [MemberData(nameof(HistoryShapes))]
    public Task A_history_has_what_a_key_was_newest_first(string shape) =>
        Seeded.RunAsync(1, seed => WithStore(shape, async store =>
        {
            const int Rounds = 10, StepsOfRound = 80;
            var random = new Random(seed);
            var states = new Dictionary<TKey, List<ReadResult<TValue>>>(Flavor.KeyEquality);
            int kept = 0;
            for (int round = 0; round < Rounds; round++)
            {
                UseSession(store, session =>
                {
                    for (int i = 0; i < StepsOfRound; i++)
                        Change(session, states, Flavor.Key(random.Next(Keys)), random.Next(4), (round * 1_000) + i);
                    int fillers = BulkyRecords(shape, 0.15); // in the end more than the memory
                    Fill(session, FirstFiller + ((long)round * fillers), fillers);
                });
                await FreezeAsync(store);
                if (round == Rounds / 2) _ = await store.CompactAsync();
                for (int key = 0; key < Keys; key++) kept += await CheckAsync(store, states, Flavor.Key(key), key);
            }

            Assert.Empty(await PastAsync(store, Flavor.Key(Keys)));
            Assert.True(kept > 2 * Keys * Rounds, $"The histories have {kept} records: hardly any old ones.");
        }));

    [Theory]
    [MemberData(nameof(HistoryShapes))]
    public Task A_history_beside_a_writer_begins_with_what_was_written_before_it(string shape) =>
        Seeded.RunAsync(1, seed => WithStore(shape, async store =>
        {
            const int Writes = 4_000, Watched = 4;
            TValue[] values = [.. Enumerable.Range(0, Writes).Select(static i => Flavor.Value(i))];
            int written = -1;
            Task writer = Task.Run(() => UseSession(store, session =>
            {
                int bulk = BulkyRecords(shape, 1.0 / 64);
                for (int i = 0; i < Writes; i++)
                {
                    session.UpsertNow(Flavor.Key(i % Watched), values[i]);
                    Volatile.Write(ref written, i);
                    if (i % 64 == 0) Fill(session, FirstFiller + ((long)i * bulk), bulk);
                }
            }));
            var random = new Random(seed);
            for (bool isLast = false; !isLast;)
            {
                isLast = writer.IsCompleted;
                int key = random.Next(Watched), before = Volatile.Read(ref written);
                int least = before - ((before - key) & (Watched - 1)); // the last number of this key
                int number = Writes + key;
                List<RecordVersion<ReadResult<TValue>>> past = await PastAsync(store, Flavor.Key(key));
                for (int i = 0; i < past.Count; i++)
                {
                    do number -= Watched;
                    while (number >= 0 && !Flavor.Model.Equality.Equals(values[number], past[i].Record.Value));
                    Assert.True(number >= 0, $"Record {i} of key {key}'s history comes out of order, or twice.");
                    Assert.True(i > 0 || number >= least, $"The newest record has {number}, not {least}.");
                }

                Assert.True(past.Count > 0 || least < 0, $"The history of key {key} is empty after {before}.");
            }

            await writer;
        }));

    // Keys are written once, and asked for when their records are about to leave the place where they were written.
    [Theory]
    [MemberData(nameof(MovingShapes))]
    public Task A_history_of_a_key_whose_record_moves_has_it_once(string shape) => Seeded.RunAsync(1, seed => WithStore(
        shape, async store =>
        {
            int around = BulkyRecords(shape, 0.7), writes = 4 * around;
            int written = -1;
            Task writer = Task.Run(() => UseSession(store, session =>
            {
                for (int i = 0; i < writes; i++)
                {
                    session.UpsertNow(Flavor.Key(i), Flavor.Bulky(i));
                    Volatile.Write(ref written, i);
                }
            }));
            var random = new Random(seed);
            for (int calls = 0; !writer.IsCompleted; calls++)
            {
                int key = Volatile.Read(ref written) - (int)(around * (0.5 + random.NextDouble()));
                if (key < 0) continue;
                List<RecordVersion<ReadResult<TValue>>> past = await PastAsync(store, Flavor.Key(key));
                Assert.True(past.Count == 1, $"The history of key {key} has {past.Count} records in call {calls}.");
                AssertFound(Flavor.Bulky(key), past[0].Record, $"the record of key {key}");
            }

            await writer;
        }));

    private static async Task<List<RecordVersion<ReadResult<TValue>>>> PastAsync(
        IStoreUnderTest<TKey, TValue> store, TKey key)
    {
        List<RecordVersion<ReadResult<TValue>>> all = [];
        await foreach (RecordVersion<ReadResult<TValue>> past in store.HistoryAsync!(key)) all.Add(past);
        return all;
    }

    // A scan makes immutable what has been written: what follows is written anew, not in place.
    private static async Task FreezeAsync(IStoreUnderTest<TKey, TValue> store)
    {
        await foreach (var _ in store.Scans!.ScanAsync(new ScanOptions())) break;
    }

    private static void Change(
        ISessionUnderTest<TKey, TValue> session, Dictionary<TKey, List<ReadResult<TValue>>> states, TKey key, int kind,
        int step)
    {
        if (!states.TryGetValue(key, out List<ReadResult<TValue>>? past)) states.Add(key, past = []);
        ReadResult<TValue> old = past.Count == 0 ? default : past[^1];
        switch (kind)
        {
            case 0 when old.Found:
                _ = session.DeleteNow(key);
                past.Add(default);
                break;
            case 1:
                session.RmwNow(key, Flavor.Input(step));
                past.Add(new(
                    true, old.Found ? Flavor.Model.Update(old.Value, Flavor.Input(step)) : Flavor.Input(step)));
                break;
            default:
                session.UpsertNow(key, Flavor.Value(step));
                past.Add(new(true, Flavor.Value(step)));
                break;
        }
    }

    // Of states that were overwritten in place there is no record, nor of what was truncated or has moved.
    private static async Task<int> CheckAsync(
        IStoreUnderTest<TKey, TValue> store, Dictionary<TKey, List<ReadResult<TValue>>> states, TKey key, int number)
    {
        List<ReadResult<TValue>> had = states.GetValueOrDefault(key, []);
        List<RecordVersion<ReadResult<TValue>>> past = await PastAsync(store, key);
        ReadResult<TValue> now = had.Count == 0 ? default : had[^1];
        Assert.True(past.Count > 0 || !now.Found, $"The history of key {number} is empty.");
        int at = had.Count;
        for (int i = 0; i < past.Count; i++)
        {
            ReadResult<TValue> record = past[i].Record;
            at = had.FindLastIndex(at - 1, state => IsSame(state, record));
            Assert.True(at >= 0, $"Record {i} of key {number}'s history is no earlier state: {Show(record)}.");
            Assert.True(i > 0 || IsSame(record, now), $"The newest record of key {number} is {Show(record)}.");
            Assert.True(i == 0 || past[i].Version <= past[i - 1].Version, "Versions fall along a history.");
        }

        return past.Count;
    }

    private static bool IsSame(ReadResult<TValue> one, ReadResult<TValue> other) =>
        one.Found == other.Found && (!one.Found || Flavor.Model.Equality.Equals(one.Value, other.Value));

    private static string Show(ReadResult<TValue> state) =>
        state.Found ? Flavor.Model.Show(state.Value) : "a tombstone";
}
