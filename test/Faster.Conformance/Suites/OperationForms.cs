using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>The status, async and batch forms of an operation do the same.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class OperationForms<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task A_batch_equals_single_steps(string shape) => Seeded.RunAsync(5, seed => WithStore(shape, async store =>
    {
        await using ISessionUnderTest<TKey, TValue> session = store.StartSession();
        var random = new Random(seed);
        Dictionary<TKey, TValue> model = NewModel();
        for (int round = 0; round < 40; round++)
        {
            // Few keys, so that a batch names some of them twice.
            TKey[] keys = [.. Enumerable.Range(0, random.Next(70)).Select(_ => Flavor.Key(random.Next(60)))];
            TValue[] values = [.. keys.Select((_, i) => Flavor.Value((round * 100) + i))];
            RunBatch(session, model, random.Next(4), keys, values);
        }
    }));

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task A_batch_that_names_a_cold_key_twice_updates_it_in_order(string shape) => WithSession(shape, session =>
    {
        const int Keys = 200, BatchSize = 10;
        Fill(session, 0, Keys);
        Fill(session, 1_000_000, BulkyRecords(shape, 1.5));
        for (int first = 0; first < Keys; first += BatchSize)
        {
            int[] numbers = [.. Enumerable.Range(0, 3 * BatchSize).Select(i => first + (i % BatchSize))];
            TKey[] keys = [.. numbers.Select(number => Flavor.Key(number))];
            session.RmwBatch(keys, [.. numbers.Select((_, i) => Flavor.Input(i))]);
            var results = new ReadResult<TValue>[keys.Length];
            session.ReadBatch(keys, results);
            for (int i = 0; i < keys.Length; i++)
            {
                TValue expected = Flavor.Bulky(numbers[i]);
                for (int step = i % BatchSize; step < keys.Length; step += BatchSize)
                    expected = Flavor.Model.Update(expected, Flavor.Input(step));
                AssertFound(expected, results[i], $"key {numbers[i]}");
            }
        }
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task Async_equals_sync(string shape) => Seeded.RunAsync(5, seed => WithStore(shape, async store =>
    {
        await using ISessionUnderTest<TKey, TValue> session = store.StartSession();
        var random = new Random(seed);
        Dictionary<TKey, TValue> model = NewModel();
        for (int step = 0; step < 500; step++)
        {
            TKey key = Flavor.Key(random.Next(40));
            switch (random.Next(5))
            {
                case 0:
                    await session.UpsertAsync(key, model[key] = Flavor.Value(step));
                    break;
                case 1:
                    Update(model, key, Flavor.Input(step));
                    await session.RmwAsync(key, Flavor.Input(step));
                    break;
                case 2:
                    model.Remove(key);
                    await session.DeleteAsync(key);
                    break;
                case 3:
                    AssertSame(model, key, await session.ReadAsync(key), $"step {step}, async");
                    break;
                default:
                    AssertSame(model, key, session.ReadNow(key), $"step {step}, sync");
                    break;
            }
        }
    }));

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task Several_awaited_operations_of_a_session_may_be_outstanding(string shape) =>
        WithStore(shape, async store =>
        {
            await using ISessionUnderTest<TKey, TValue> session = store.StartSession();
            const int Keys = 300;
            Fill(session, 0, Keys);
            Fill(session, 1_000_000, BulkyRecords(shape, 1.5));
            for (int first = 0; first < Keys; first += 30)
            {
                Task<ReadResult<TValue>>[] reads =
                    [.. Enumerable.Range(first, 30).Select(key => session.ReadAsync(Flavor.Key(key)).AsTask())];
                ReadResult<TValue>[] results = await Task.WhenAll(reads);
                for (int i = 0; i < results.Length; i++)
                    AssertFound(Flavor.Bulky(first + i), results[i], $"key {first + i}");
            }
        });

    private static void RunBatch(
        ISessionUnderTest<TKey, TValue> session, Dictionary<TKey, TValue> model, int kind, TKey[] keys, TValue[] values)
    {
        switch (kind)
        {
            case 0:
                session.UpsertBatch(keys, values);
                for (int i = 0; i < keys.Length; i++) model[keys[i]] = values[i];
                break;
            case 1:
                session.RmwBatch(keys, values);
                for (int i = 0; i < keys.Length; i++) Update(model, keys[i], values[i]);
                break;
            case 2:
                session.DeleteBatch(keys);
                foreach (TKey key in keys) model.Remove(key);
                break;
            default:
                var results = new ReadResult<TValue>[keys.Length];
                session.ReadBatch(keys, results);
                for (int i = 0; i < keys.Length; i++) AssertSame(model, keys[i], results[i], $"batch read {i}");
                break;
        }

        foreach (TKey key in keys) AssertSame(model, key, session.ReadNow(key), "single read after a batch");
    }

    private static void Update(Dictionary<TKey, TValue> model, TKey key, TValue input) =>
        model[key] = model.TryGetValue(key, out TValue? old) ? Flavor.Model.Update(old, input) : input;
}
