using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>What each operation does by itself, one session, one step at a time.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class SingleSteps<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task A_key_that_was_never_written_is_not_found(string shape) => WithSession(shape, session =>
    {
        Assert.False(session.ReadNow(Flavor.Key(1)).Found);
        session.UpsertNow(Flavor.Key(1), Flavor.Value(1));
        Assert.False(session.ReadNow(Flavor.Key(2)).Found);
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task An_upserted_value_is_read(string shape) => WithSession(shape, session =>
    {
        for (int i = 0; i < 100; i++) session.UpsertNow(Flavor.Key(i), Flavor.Value(i));
        for (int i = 0; i < 100; i++)
            AssertFound(Flavor.Value(i), session.ReadNow(Flavor.Key(i)), $"key {i}");
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task The_last_of_two_upserts_wins(string shape) => WithSession(shape, session =>
    {
        for (int i = 0; i < 100; i++)
        {
            session.UpsertNow(Flavor.Key(1), Flavor.Value(i));
            AssertFound(Flavor.Value(i), session.ReadNow(Flavor.Key(1)), $"after overwrite {i}");
        }
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task The_first_rmw_creates_the_value_and_later_ones_update_it(string shape) => WithSession(shape, session =>
    {
        TValue expected = Flavor.Input(0);
        session.RmwNow(Flavor.Key(7), expected);
        AssertFound(expected, session.ReadNow(Flavor.Key(7)), "after the first");
        for (int i = 1; i < 50; i++)
        {
            session.RmwNow(Flavor.Key(7), Flavor.Input(i));
            expected = Flavor.Model.Update(expected, Flavor.Input(i));
            AssertFound(expected, session.ReadNow(Flavor.Key(7)), $"after update {i}");
        }
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task Rmw_updates_what_was_upserted(string shape) => WithSession(shape, session =>
    {
        session.UpsertNow(Flavor.Key(7), Flavor.Value(1));
        session.RmwNow(Flavor.Key(7), Flavor.Input(2));
        AssertFound(
            Flavor.Model.Update(Flavor.Value(1), Flavor.Input(2)), session.ReadNow(Flavor.Key(7)), "after rmw");
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task A_deleted_key_is_not_found(string shape) => WithSession(shape, session =>
    {
        for (int i = 0; i < 20; i++) session.UpsertNow(Flavor.Key(i), Flavor.Value(i));
        for (int i = 0; i < 20; i += 2) Assert.Equal(Status.Ok, session.DeleteNow(Flavor.Key(i)));
        for (int i = 0; i < 20; i++)
        {
            ReadResult<TValue> read = session.ReadNow(Flavor.Key(i));
            if (i % 2 == 1) AssertFound(Flavor.Value(i), read, $"key {i}, not deleted");
            else Assert.False(read.Found, $"Key {i} was deleted and is found.");
        }
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task Rmw_of_a_deleted_key_begins_with_the_initial_value(string shape) => WithSession(shape, session =>
    {
        for (int round = 0; round < 5; round++)
        {
            session.UpsertNow(Flavor.Key(3), Flavor.Value(1));
            _ = session.DeleteNow(Flavor.Key(3));
            session.RmwNow(Flavor.Key(3), Flavor.Input(round));
            AssertFound(Flavor.Input(round), session.ReadNow(Flavor.Key(3)), $"round {round}");
        }
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task Upsert_of_a_deleted_key_brings_it_back(string shape) => WithSession(shape, session =>
    {
        for (int round = 0; round < 5; round++)
        {
            session.UpsertNow(Flavor.Key(3), Flavor.Value(round));
            AssertFound(Flavor.Value(round), session.ReadNow(Flavor.Key(3)), $"round {round}");
            _ = session.DeleteNow(Flavor.Key(3));
            Assert.False(session.ReadNow(Flavor.Key(3)).Found);
        }
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task Deleting_an_absent_key_changes_nothing(string shape) => WithSession(shape, session =>
    {
        session.UpsertNow(Flavor.Key(1), Flavor.Value(1));
        for (int i = 2; i < 10; i++)
        {
            _ = session.DeleteNow(Flavor.Key(i));
            _ = session.DeleteNow(Flavor.Key(i));
            Assert.False(session.ReadNow(Flavor.Key(i)).Found);
        }

        AssertFound(Flavor.Value(1), session.ReadNow(Flavor.Key(1)), "the other key");
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task A_value_that_one_session_writes_is_read_by_another(string shape) => WithStore(shape, async store =>
    {
        await using ISessionUnderTest<TKey, TValue> writer = store.StartSession();
        await using ISessionUnderTest<TKey, TValue> reader = store.StartSession();
        for (int i = 0; i < 50; i++)
        {
            writer.UpsertNow(Flavor.Key(i % 5), Flavor.Value(i));
            AssertFound(Flavor.Value(i), reader.ReadNow(Flavor.Key(i % 5)), $"write {i}");
        }

        _ = writer.DeleteNow(Flavor.Key(0));
        Assert.False(reader.ReadNow(Flavor.Key(0)).Found);
    });
}
