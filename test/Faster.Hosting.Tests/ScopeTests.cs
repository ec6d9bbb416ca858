using System.Collections.Concurrent;
using Faster.Contracts;
using Faster.LogSessions;
using Faster.Sessions;
using Microsoft.Extensions.DependencyInjection;

namespace Faster.Hosting.Tests;

/// <summary>
/// Sessions of scopes, most of which are made of sessions that have ended: they are new, and those are refused.
/// </summary>
public sealed class ScopeTests
{
    public static TheoryData<string> Engines => Scopes.Engines;

    public static TheoryData<string> Committing => Scopes.Committing;

    // A call of each kind.
    private static Func<Words.ISession, Task>[] Calls =>
    [
        static session => Task.FromResult(session.Read("a", out long _)),
        static session => Task.FromResult(session.Rmw("a", 1)),
        static session => Task.FromResult(session.Upsert("a", 1)),
        static session => Task.FromResult(session.Delete("a")),
        static session => session.ReadAsync("a").AsTask(),
        static session => session.RmwAsync("a", 1).AsTask(),
        static session => session.UpsertAsync("a", 1).AsTask(),
        static session => session.DeleteAsync("a").AsTask(),
        static session => Run(() => session.Rmw(["a"], [1])),
        static session => Run(() => session.Read(["a"], new ReadResult<long>[1])),
    ];

    // Also of sessions of stores that commit.
    private static Func<HashSession, Task>[] CommittingCalls =>
    [
        static session => Run(() => session.SetNextSerialNumber(1_000)),
        static session => Run(() => session.BeginUnit(1_000).Dispose()),
        static session => Task.FromResult(session.CompletePending(wait: true)),
        static session => session.CompletePendingAsync().AsTask(),
        static session => Task.FromResult(session.TimeToLive),
        static session => Run(() => session.TimeToLive = TimeSpan.FromSeconds(1)),
        static session => session.CommitAsync(),
    ];

    [Theory, MemberData(nameof(Engines))]
    public async Task A_scope_has_one_session_and_the_next_scope_another(string engine)
    {
        await using Scopes scopes = Scopes.Of(engine);
        HashSet<Words.ISession> all = new(ReferenceEqualityComparer.Instance);
        for (int i = 0; i < 10; i++)
        {
            await using AsyncServiceScope scope = scopes.Begin(out Words.ISession session);
            Assert.Same(session, scope.ServiceProvider.GetRequiredService(session.GetType()));
            await session.RmwAsync("a", 1);
            all.Add(session);
        }

        Assert.Equal(10, all.Count);
        await scopes.RunAsync(async session => Assert.Equal(10, (await session.ReadAsync("a")).Value));
    }

    [Theory, MemberData(nameof(Engines))]
    public async Task A_caller_with_the_session_of_an_earlier_scope_is_refused(string engine)
    {
        await using Scopes scopes = Scopes.Of(engine);
        Words.ISession old = await scopes.RunAsync(static session => session.RmwAsync("a", 1).AsTask());
        await RefusedAsync(old);
        await using (scopes.Begin(out Words.ISession session))
        {
            await session.RmwAsync("a", 1);
            await RefusedAsync(old); // also beside the session that is made of it
            old.Prefetch("a");
            old.Dispose();
            await old.DisposeAsync();
            await session.RmwAsync("a", 1);
            if (session is CommittingSession next) Assert.Equal(2, next.SerialNumber);
            if (old is CommittingSession ended) Assert.Equal(1, ended.SerialNumber);
        }

        await scopes.RunAsync(async session => Assert.Equal(3, (await session.ReadAsync("a")).Value));
    }

    [Theory, MemberData(nameof(Engines))]
    public async Task A_session_that_a_thread_has_kept_is_refused_after_its_scope(string engine)
    {
        await using Scopes scopes = Scopes.Of(engine);
        Words.ISession old = await scopes.RunAsync(static session => Run(() =>
        {
            for (int i = 0; i < 1_000; i++) _ = session.Rmw("a", 1);
        }));
        await using (scopes.Begin(out Words.ISession session))
        {
            for (int i = 0; i < 1_000; i++) _ = session.Rmw("a", 1);
            await RefusedAsync(old);
        }

        await scopes.RunAsync(async session => Assert.Equal(2_000, (await session.ReadAsync("a")).Value));
    }

    [Theory, MemberData(nameof(Committing))]
    public async Task A_session_of_a_scope_starts_as_a_new_unnamed_one(string engine)
    {
        await using Scopes scopes = Scopes.Of(engine);
        int heard = 0;
        await scopes.RunAsync(session => Run(() =>
        {
            var first = (HashSession)session;
            first.TimeToLive = TimeSpan.FromHours(1);
            first.SetNextSerialNumber(1_000);
            first.Committed += _ => heard++;
            _ = session.Rmw("a", 1);
            using (CommitUnit unit = first.BeginUnit(2_000))
            {
                _ = session.Rmw("a", 1);
                unit.Complete();
            }

            Assert.Equal(2_000, first.SerialNumber);
        }));
        await scopes.RunAsync(async session =>
        {
            var second = (HashSession)session;
            Assert.Null(second.Name);
            Assert.Equal(0, second.SerialNumber);
            Assert.Equal(new CommitPoint(null, 0, 0), second.RecoveredPoint);
            Assert.Equal(new CommitPoint(null, 0, 0), second.LastCommit);
            Assert.Equal(TimeSpan.Zero, second.TimeToLive);
            Assert.Equal(0, second.PendingCount);
            await session.RmwAsync("a", 1);
            Assert.Equal(1, second.SerialNumber);
        });
        Assert.Equal(0, heard);
    }

    [Theory, MemberData(nameof(Committing))]
    public async Task The_time_to_live_of_an_earlier_scope_has_no_effect(string engine)
    {
        foreach (TimeSpan ofStore in new[] { TimeSpan.Zero, TimeSpan.FromHours(1) })
        {
            await using Scopes scopes = Scopes.Of(engine, settings =>
            {
                settings.Path = "";
                settings.TimeToLive = ofStore;
            });
            for (int i = 0; i < 3; i++)
            {
                await scopes.RunAsync(session => Run(() =>
                {
                    Assert.Equal(ofStore, ((HashSession)session).TimeToLive);
                    ((HashSession)session).TimeToLive = TimeSpan.FromMilliseconds(1 + i);
                }));
            }

            await scopes.RunAsync(session => Task.FromResult(session.Upsert("a", 1)));
            await scopes.RunAsync(async session =>
            {
                Assert.Equal(ofStore, ((HashSession)session).TimeToLive);
                Assert.Equal(1, (await session.ReadAsync("a")).Value);
            });
        }
    }

    [Theory, MemberData(nameof(Committing))]
    public async Task A_commit_that_a_scope_has_requested_tells_its_own_point(string engine)
    {
        string folder = Directory.CreateTempSubdirectory("faster-scopes-").FullName;
        try
        {
            await using Scopes scopes = Scopes.Of(engine, settings => settings.Path = folder);
            List<(Task<CommitPoint> Commit, int Operations)> commits = [];
            for (int scope = 1; scope <= 20; scope++)
            {
                await scopes.RunAsync(async session =>
                {
                    for (int i = 0; i < scope; i++) await session.RmwAsync("a", 1);
                    if (scope % 2 == 0) commits.Add((((HashSession)session).CommitAsync(), scope));
                });
            }

            foreach ((Task<CommitPoint> commit, int operations) in commits)
            {
                CommitPoint point = await commit;
                Assert.Equal((null, operations), (point.SessionName, point.SerialNumber));
                Assert.Empty(point.Excluded);
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Theory, MemberData(nameof(Committing))]
    public async Task Scopes_end_while_their_durable_units_wait_for_the_disk(string engine)
    {
        string folder = Directory.CreateTempSubdirectory("faster-scopes-").FullName;
        try
        {
            for (int life = 0; life < 2; life++)
            {
                await using Scopes scopes = Scopes.Of(engine, settings =>
                {
                    settings.Path = folder;
                    settings.Durability = Durability.EachOperation;
                });
                List<Task> durable = [];
                for (int scope = 0; scope < 20; scope++)
                {
                    await scopes.RunAsync(session => Run(() =>
                    {
                        using CommitUnit unit = ((HashSession)session).BeginUnit(7);
                        _ = session.Rmw("a", 1);
                        _ = session.Rmw("b", 1);
                        durable.Add(unit.CompleteAsync().AsTask());
                    }));
                }

                await Task.WhenAll(durable);
                await scopes.RunAsync(async session =>
                {
                    Assert.Equal(20 * (life + 1), (await session.ReadAsync("a")).Value);
                    Assert.Equal(20 * (life + 1), (await session.ReadAsync("b")).Value);
                });
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Theory, MemberData(nameof(Committing))]
    public async Task An_open_unit_is_not_handed_to_the_next_scope(string engine)
    {
        await using Scopes scopes = Scopes.Of(engine);
        AsyncServiceScope scope = scopes.Begin(out Words.ISession left);
        Leave(left, () => Assert.Throws<SessionMisuseException>(
            () => scope.DisposeAsync().AsTask().GetAwaiter().GetResult()));
        left.Dispose();
        await RefusedAsync(left);
        return;

        void Leave(Words.ISession session, Action meanwhile)
        {
            using CommitUnit unit = ((HashSession)session).BeginUnit(7);
            meanwhile();
            scopes.RunAsync(next => Run(() =>
            {
                Assert.NotSame(left, next);
                Assert.Equal(Status.Created, next.Rmw("a", 1));
                Assert.Equal(1, ((HashSession)next).SerialNumber);
            })).GetAwaiter().GetResult();
        }
    }

    [Theory, MemberData(nameof(Committing))]
    public async Task Nothing_is_made_of_a_session_whose_unit_has_failed(string engine)
    {
        await using Scopes scopes = Scopes.Of(engine);
        AsyncServiceScope scope = scopes.Begin(out Words.ISession failed);
        using (((HashSession)failed).BeginUnit(7)) _ = failed.Rmw("a", 1);
        var refused = Assert.Throws<FasterException>(() => failed.Rmw("a", 1));
        Assert.Equal(ErrorReason.UnitFailed, refused.Reason);
        await scope.DisposeAsync();
        await scopes.RunAsync(static session => Run(() =>
        {
            Assert.Equal(Status.Ok, session.Rmw("a", 1));
            Assert.Equal(1, ((HashSession)session).SerialNumber);
        }));
    }

    [Theory, MemberData(nameof(Engines))]
    public async Task Scopes_of_several_threads_neither_meet_nor_harm_each_other(string engine)
    {
        await using Scopes scopes = Scopes.Of(engine);
        ConcurrentQueue<Words.ISession> ended = new();
        long acknowledged = 0, misused = 0;
        int rounds = TestBudget.Times(2_000), left = 3;
        Task[] workers = [.. Enumerable.Range(0, 3).Select(worker => Task.Run(async () =>
        {
            for (int round = 0; round < rounds; round++)
            {
                int calls = 1 + (round % 80); // up to more than makes a thread keep the session
                ended.Enqueue(await scopes.RunAsync(session => Run(() =>
                {
                    for (int i = 0; i < calls; i++)
                        if (session.Rmw("a", 1) is Status.Ok or Status.Created) Interlocked.Increment(ref acknowledged);
                    if (session is CommittingSession own) Assert.Equal(calls, own.SerialNumber);
                })));
            }

            Interlocked.Decrement(ref left);
        }))];
        Task late = Task.Run(() =>
        {
            while (Volatile.Read(ref left) != 0)
            {
                if (!ended.TryDequeue(out Words.ISession? old)) continue;
                Assert.Throws<SessionMisuseException>(() => old.Rmw("a", 1));
                old.Prefetch("a");
                misused++;
            }
        });
        await Task.WhenAll([.. workers, late]);
        Assert.True(misused > 0);
        await scopes.RunAsync(async session => Assert.Equal(acknowledged, (await session.ReadAsync("a")).Value));
        Assert.Equal(0, scopes.Store.Statistics.Sessions);
    }

    private static async Task RefusedAsync(Words.ISession session)
    {
        foreach (Func<Words.ISession, Task> call in Calls)
            await Assert.ThrowsAsync<SessionMisuseException>(() => Run(call, session));
        if (session is not HashSession committing) return;
        foreach (Func<HashSession, Task> call in CommittingCalls)
            await Assert.ThrowsAsync<SessionMisuseException>(() => Run(call, committing));
        Assert.Equal(0, committing.PendingCount);
        await foreach (CommitPoint _ in committing.CommitPointsAsync()) Assert.Fail("it has ended");
    }

    private static async Task Run<T>(Func<T, Task> call, T session) => await call(session);

    private static Task Run(Action action)
    {
        action();
        return Task.CompletedTask;
    }
}
