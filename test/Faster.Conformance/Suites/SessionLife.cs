using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>Sessions are clients, not threads: many, short-lived, and moving from thread to thread.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class SessionLife<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task Two_hundred_sessions_work_at_once(string shape) => WithStore(shape, async store =>
    {
        const int Sessions = 200;
        ISessionUnderTest<TKey, TValue>[] sessions =
            [.. Enumerable.Range(0, Sessions).Select(_ => store.StartSession())];
        Workers.Run(4, worker =>
        {
            for (int round = 0; round < 5; round++)
            {
                for (int i = worker; i < Sessions; i += 4)
                {
                    sessions[i].RmwNow(Flavor.Key(0), Flavor.Unit);
                    sessions[i].UpsertNow(Flavor.Key(1 + i), Flavor.Value((round * 1_000) + i));
                }
            }
        });
        ReadResult<TValue> sum = sessions[0].ReadNow(Flavor.Key(0));
        Assert.Equal(5 * Sessions, Flavor.Count(sum.Value!));
        for (int i = 0; i < Sessions; i++)
        {
            ReadResult<TValue> read = sessions[(i + 1) % Sessions].ReadNow(Flavor.Key(1 + i));
            AssertFound(Flavor.Value(4_000 + i), read, $"session {i}'s key");
        }

        foreach (ISessionUnderTest<TKey, TValue> session in sessions) await session.DisposeAsync();
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task Sessions_come_and_go_while_others_work(string shape) => WithStore(shape, async store =>
    {
        int perThread = TestBudget.Times(80);
        Workers.Run(4, worker =>
        {
            for (int i = 0; i < perThread; i++)
            {
                UseSession(store, session =>
                {
                    session.RmwNow(Flavor.Key(i % 7), Flavor.Unit);
                    session.UpsertNow(Flavor.Key(100 + worker), Flavor.Value(i));
                    AssertFound(Flavor.Value(i), session.ReadNow(Flavor.Key(100 + worker)), $"worker {worker}");
                });
            }
        });
        await using ISessionUnderTest<TKey, TValue> reader = store.StartSession();
        long sum = Enumerable.Range(0, 7).Select(key => reader.ReadNow(Flavor.Key(key)))
            .Sum(read => read.Found ? Flavor.Count(read.Value) : 0);
        Assert.Equal(4L * perThread, sum);
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task A_session_moves_between_threads(string shape) => WithStore(shape, async store =>
    {
        await using ISessionUnderTest<TKey, TValue> session = store.StartSession();
        Fill(session, 0, 300);
        Fill(session, 1_000_000, BulkyRecords(shape, 1.5));
        for (int step = 0; step < 30; step++)
        {
            // Issued by one thread, completed by another.
            TKey key = Flavor.Key(step * 10);
            var ticket = new PendingTicket<TValue>();
            Status status = default;
            TValue value = default!;
            Workers.Run(1, _ => status = session.Read(key, out value, ticket));
            Workers.Run(1, _ => Assert.True(session.CompletePending(wait: true)));
            if (status == Status.Pending)
            {
                ticket.AssertDone();
                (status, value) = (ticket.Status, ticket.Value!);
            }

            AssertFound(Flavor.Bulky(step * 10), new(status == Status.Ok, value), $"step {step}");
            await Task.Yield();
            AssertFound(Flavor.Bulky((step * 10) + 1), await session.ReadAsync(Flavor.Key((step * 10) + 1)), "async");
        }
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task A_disposed_session_refuses_to_work(string shape) => WithStore(shape, async store =>
    {
        ISessionUnderTest<TKey, TValue> session = store.StartSession();
        session.UpsertNow(Flavor.Key(1), Flavor.Value(1));
        await session.DisposeAsync();
        Assert.Throws<SessionMisuseException>(() => session.ReadNow(Flavor.Key(1)));
        Assert.Throws<SessionMisuseException>(() => session.UpsertNow(Flavor.Key(1), Flavor.Value(2)));
        UseSession(store, other => AssertFound(Flavor.Value(1), other.ReadNow(Flavor.Key(1)), "another session"));
    });

    [Theory]
    [MemberData(nameof(FewShapes))]
    public Task A_hint_is_taken_at_any_time_and_has_no_effect(string shape) => WithStore(shape, async store =>
    {
        ISessionUnderTest<TKey, TValue> session = store.StartSession();
        for (int i = 0; i < 20; i++) session.Prefetch(Flavor.Key(i)); // before the session has seen the store
        Assert.False(session.ReadNow(Flavor.Key(1)).Found);
        Fill(session, 0, 300);
        for (int i = 0; i < 300; i++)
        {
            session.Prefetch(Flavor.Key(i + 8));
            AssertFound(Flavor.Bulky(i), session.ReadNow(Flavor.Key(i)), $"key {i}");
        }

        Assert.False(session.ReadNow(Flavor.Key(300)).Found);
        await session.DisposeAsync();
        for (int i = 0; i < 20; i++) session.Prefetch(Flavor.Key(i));
        UseSession(store, other => AssertFound(Flavor.Bulky(1), other.ReadNow(Flavor.Key(1)), "another session"));
    });
}
