using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>The status of a read-modify-write says whether it has created the key's record, in each form.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>Where values are merged, Created is exact and Ok says nothing.</remarks>
public abstract class UpdateStatuses<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    private const int Forms = 3, Threads = 4;

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task A_new_key_is_created_and_an_old_one_updated(string shape) => WithSession(shape, session =>
    {
        for (int form = 0; form < Forms; form++)
        {
            AssertAll(session, form, Status.Created, [1 + form, 11 + form, 21 + form]);
            AssertAll(session, form, Status.Ok, [1 + form, 11 + form, 21 + form]);
            session.UpsertNow(Flavor.Key(31 + form), Flavor.Value(1));
            AssertAll(session, form, Status.Ok, [31 + form]);
        }
    });

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task A_deleted_key_is_created_again(string shape) => WithSession(shape, session =>
    {
        for (int form = 0; form < Forms; form++)
        {
            long[] keys = [.. Enumerable.Range(form * 10, 9).Select(static i => (long)i)];
            foreach (long key in keys) session.UpsertNow(Flavor.Key(key), Flavor.Value(key));
            for (int round = 0; round < 3; round++)
            {
                foreach (long key in keys) _ = session.DeleteNow(Flavor.Key(key));
                AssertAll(session, form, Status.Created, keys);
                AssertAll(session, form, Status.Ok, keys);
            }
        }
    });

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task A_batch_that_names_a_new_key_twice_creates_it_once(string shape) => WithSession(shape, session =>
    {
        TKey[] keys = [Flavor.Key(1), Flavor.Key(2), Flavor.Key(1), Flavor.Key(2)];
        var statuses = new Status[keys.Length];
        session.RmwBatch(keys, [.. keys.Select(static _ => Flavor.Unit)], statuses);
        Assert.Equal([Status.Created, Status.Created, Status.Ok, Status.Ok], statuses);
    });

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task An_upsert_does_not_say_whether_there_was_a_record(string shape) => WithSession(shape, session =>
    {
        var ticket = new PendingTicket<TValue>();
        for (int round = 0; round < 2; round++)
            Assert.Equal(Status.Ok, session.Upsert(Flavor.Key(1), Flavor.Value(round), ticket));
    });

    [Theory]
    [MemberData(nameof(SpillingShapes))]
    public Task Statuses_of_records_on_disk_are_right(string shape) => WithSession(shape, session =>
    {
        const int Keys = 270;
        Fill(session, 0, Keys);
        for (int key = 0; key < Keys; key += 3) _ = session.DeleteNow(Flavor.Key(key));
        Fill(session, 1_000_000, BulkyRecords(shape, 1.5));
        for (int key = 0; key < Keys; key++)
        {
            AssertAll(session, key / 3 % Forms, key % 3 == 0 ? Status.Created : Status.Ok, [key]);
            AssertAll(session, key / 3 % Forms, Status.Created, [-1 - key]);
        }
    });

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Of_several_that_race_to_create_a_key_one_does(string shape) =>
        Seeded.RunAsync(1, seed => WithStore(shape, async store =>
        {
            const int Rounds = 300, Keys = 4;
            var created = new int[Rounds * Keys];
            var rendezvous = new Rendezvous(Threads);
            Workers.Run(Threads, worker => UseSession(store, session =>
            {
                var random = new Random((seed * Threads) + worker);
                for (int round = 0; round < Rounds; round++)
                {
                    rendezvous.Meet(round);
                    foreach (int key in Enumerable.Range(round * Keys, Keys))
                    {
                        Status status = Update(session, random.Next(Forms), [key])[0];
                        if (status == Status.Created) Interlocked.Increment(ref created[key]);
                    }
                }
            }));
            await using ISessionUnderTest<TKey, TValue> reader = store.StartSession();
            for (int key = 0; key < created.Length; key++)
            {
                bool isRight = created[key] == 1 || (created[key] == 0 && !reader.KnowsCreations);
                Assert.True(isRight, $"Key {key} was created {created[key]} times.");
            }
        }, expectedKeys: 0));

    private static void AssertAll(
        ISessionUnderTest<TKey, TValue> session, int form, Status expected, long[] keys)
    {
        Status[] statuses = Update(session, form, keys);
        for (int i = 0; i < keys.Length; i++)
        {
            bool isRight = statuses[i] == expected
                || (expected == Status.Created && statuses[i] == Status.Ok && !session.KnowsCreations);
            Assert.True(isRight, $"Key {keys[i]}, form {form}: expected {expected}, was told {statuses[i]}.");
        }
    }

    // By the status form, the awaited form, or a batch.
    private static Status[] Update(ISessionUnderTest<TKey, TValue> session, int form, long[] keys)
    {
        var statuses = new Status[keys.Length];
        TKey[] typed = [.. keys.Select(static key => Flavor.Key(key))];
        if (form == 2) session.RmwBatch(typed, [.. keys.Select(static _ => Flavor.Unit)], statuses);
        for (int i = 0; i < keys.Length && form != 2; i++)
        {
            statuses[i] = form == 0
                ? session.RmwStatus(typed[i], Flavor.Unit)
                : session.RmwAsync(typed[i], Flavor.Unit).AsTask().GetAwaiter().GetResult();
        }

        return statuses;
    }
}
