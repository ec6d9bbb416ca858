using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>Data several times as large as memory is right afterwards.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>Shapes that do not spill hold a few hundred records and run the same steps.</remarks>
public abstract class LargerThanMemory<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    private const int BatchSize = 64;

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task All_loaded_keys_are_there(string shape) => WithSession(shape, session =>
    {
        int keys = BulkyRecords(shape, 1.5);
        Fill(session, 0, keys);
        AssertAllByBatches(session, keys, key => new(true, Flavor.Bulky(key)));
    }, expectedKeys: 0);

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Updates_and_deletes_of_records_on_disk_hold(string shape) => WithSession(shape, session =>
    {
        int keys = BulkyRecords(shape, 1.2);
        Fill(session, 0, keys);
        for (int key = 0; key < keys; key++)
        {
            if (key % 5 == 0) _ = session.DeleteNow(Flavor.Key(key));
            else if (key % 7 == 0) session.UpsertNow(Flavor.Key(key), Flavor.Bulky(-key));
        }

        RmwByPendingSteps(session, [.. Enumerable.Range(0, keys).Where(key => key % 3 == 0)]);
        Fill(session, 1_000_000_000, keys);
        AssertAllByBatches(session, keys, Expected);
    });

    private static ReadResult<TValue> Expected(int key)
    {
        bool deleted = key % 5 == 0;
        bool updated = key % 3 == 0;
        if (deleted) return updated ? new(true, Flavor.Input(key)) : default;
        TValue value = key % 7 == 0 ? Flavor.Bulky(-key) : Flavor.Bulky(key);
        return new(true, updated ? Flavor.Model.Update(value, Flavor.Input(key)) : value);
    }

    private static void RmwByPendingSteps(ISessionUnderTest<TKey, TValue> session, int[] keys)
    {
        foreach (int[] some in keys.Chunk(BatchSize))
        {
            List<PendingTicket<TValue>> pending = [];
            foreach (int key in some)
            {
                var ticket = new PendingTicket<TValue>();
                if (session.Rmw(Flavor.Key(key), Flavor.Input(key), ticket) == Status.Pending) pending.Add(ticket);
            }

            Assert.True(session.CompletePending(wait: true));
            pending.ForEach(ticket => ticket.AssertDone());
        }
    }

    private static void AssertAllByBatches(
        ISessionUnderTest<TKey, TValue> session, int keys, Func<int, ReadResult<TValue>> expected)
    {
        var results = new ReadResult<TValue>[BatchSize];
        foreach (int[] some in Enumerable.Range(0, keys).Chunk(BatchSize))
        {
            session.ReadBatch([.. some.Select(key => Flavor.Key(key))], results.AsSpan(0, some.Length));
            for (int i = 0; i < some.Length; i++)
            {
                ReadResult<TValue> right = expected(some[i]);
                if (right.Found) AssertFound(right.Value, results[i], $"key {some[i]} of {keys}");
                else Assert.False(results[i].Found, $"Key {some[i]} was deleted and is found.");
            }
        }
    }
}
