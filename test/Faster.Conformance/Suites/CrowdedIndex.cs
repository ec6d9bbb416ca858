using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>Keys that share index entries, buckets and chains are kept apart.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// The hash is keyed anew for every store, so collisions are made by crowding an index of the smallest size.
/// </remarks>
public abstract class CrowdedIndex<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task Keys_that_collide_are_kept_apart(string shape) => WithSession(shape, session =>
    {
        // Numbers that are alike in their low bits, in their high bits, and at the ends of the range.
        long[] numbers =
        [
            .. Enumerable.Range(0, 1_000).Select(n => (long)n << 16),
            .. Enumerable.Range(1, 1_000).Select(n => (long)n << 48),
            .. Enumerable.Range(1, 1_000).Select(n => long.MaxValue - n),
            .. Enumerable.Range(1, 1_000).Select(n => -(long)n),
            long.MinValue,
            long.MaxValue,
        ];
        long[] distinct = [.. numbers.Distinct()];
        foreach (long number in distinct) session.UpsertNow(Flavor.Key(number), Flavor.Value(number));
        for (int i = 0; i < distinct.Length; i += 3) session.RmwNow(Flavor.Key(distinct[i]), Flavor.Input(i));
        for (int i = 0; i < distinct.Length; i += 4) _ = session.DeleteNow(Flavor.Key(distinct[i]));
        for (int i = 0; i < distinct.Length; i++)
        {
            ReadResult<TValue> read = session.ReadNow(Flavor.Key(distinct[i]));
            TValue value = Flavor.Value(distinct[i]);
            if (i % 3 == 0) value = Flavor.Model.Update(value, Flavor.Input(i));
            if (i % 4 == 0) Assert.False(read.Found, $"Key {distinct[i]} was deleted and is found.");
            else AssertFound(value, read, $"key {distinct[i]}");
        }
    }, expectedKeys: 0);

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task Threads_that_insert_into_a_growing_index_lose_nothing(string shape) => WithStore(shape, async store =>
    {
        const int Threads = 4, PerThread = 3_000;
        Workers.Run(Threads, worker => UseSession(store, session =>
        {
            for (int i = 0; i < PerThread; i++)
            {
                session.UpsertNow(Flavor.Key((i * Threads) + worker), Flavor.Value(i));
                int earlier = i / 2;
                ReadResult<TValue> read = session.ReadNow(Flavor.Key((earlier * Threads) + worker));
                AssertFound(Flavor.Value(earlier), read, $"key {earlier}");
            }
        }));
        await using ISessionUnderTest<TKey, TValue> reader = store.StartSession();
        for (int key = 0; key < Threads * PerThread; key++)
            AssertFound(Flavor.Value(key / Threads), reader.ReadNow(Flavor.Key(key)), $"key {key}");
    }, expectedKeys: 0);
}
