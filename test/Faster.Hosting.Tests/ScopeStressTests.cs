using System.Collections.Concurrent;
using Faster.Contracts;
using Faster.LogSessions;
using Faster.Sessions;
using Microsoft.Extensions.DependencyInjection;

namespace Faster.Hosting.Tests;

/// <summary>
/// Many threads take sessions, use them, end them, and call and end those of others, which may have ended long ago,
/// beside commits: each call that is not refused counts once, for the session that was called.
/// </summary>
public sealed class ScopeStressTests : IDisposable
{
    private const int Threads = 8, MostCalls = 100;
    private static readonly string[] Keys = [.. Enumerable.Range(0, 50).Select(static i => $"word {i}")];

    private readonly string _folder = Directory.CreateTempSubdirectory("faster-scopes-").FullName;

    public static TheoryData<string> Engines => Scopes.Engines;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory, MemberData(nameof(Engines))]
    public async Task Each_call_counts_once_for_the_session_that_was_called(string engine)
    {
        await using Scopes scopes = Scopes.Of(engine, settings =>
        {
            settings.Path = engine == "HotRing" ? "" : _folder;
            if (engine != "HotRing") settings.CommitEvery = TimeSpan.FromMilliseconds(5);
        });
        Used?[] visible = new Used?[Threads];
        ConcurrentQueue<Used> all = [];
        Random[] randoms = [.. Enumerable.Range(0, Threads).Select(TestSeed.NewRandom)];
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Task.Run(async () =>
        {
            for (int round = 0; round < TestBudget.Times(3_000); round++)
                all.Enqueue(await LiveAsync(scopes, randoms[thread], visible, thread));
        })));

        Assert.Equal(0, scopes.Store.Statistics.Sessions);
        Assert.True(all.Sum(static used => used.Refused) > 0); // or nothing is shown
        foreach (Used used in all)
            if (used.Session is CommittingSession session) Assert.Equal(used.Numbers, session.SerialNumber);
        long sum = 0;
        await scopes.RunAsync(async session =>
        {
            foreach (string word in Keys) sum += (await session.ReadAsync(word)).Value;
        });
        Assert.Equal(all.Sum(static used => used.Added), sum);
    }

    // One scope: it is new, then anybody's, and ended by its own thread at the latest.
    private static async Task<Used> LiveAsync(Scopes scopes, Random random, Used?[] visible, int thread)
    {
        AsyncServiceScope scope = scopes.Begin(out Words.ISession session);
        if (session is HashSession own) Assert.Equal((0, TimeSpan.Zero), (own.SerialNumber, own.TimeToLive));
        var used = new Used(session);
        Volatile.Write(ref visible[thread], used);
        for (int calls = random.Next(MostCalls); calls > 0; calls--)
        {
            Used called = random.Next(8) == 0 ? Volatile.Read(ref visible[random.Next(Threads)]) ?? used : used;
            await called.CallAsync(random);
        }

        if (random.Next(4) == 0) Volatile.Read(ref visible[random.Next(Threads)])?.TryEnd();
        try
        {
            await scope.DisposeAsync();
        }
        catch (SessionMisuseException)
        {
            while (!used.TryEnd()) await Task.Yield(); // a call of another thread was under way
        }

        return used;
    }

    /// <summary>A session, and what was done with it.</summary>
    private sealed class Used(Words.ISession session)
    {
        private long _added, _numbers, _refused;

        public Words.ISession Session => session;

        public long Added => Volatile.Read(ref _added);

        public long Numbers => Volatile.Read(ref _numbers);

        public long Refused => Volatile.Read(ref _refused);

        public bool TryEnd()
        {
            try
            {
                session.Dispose();
                return true;
            }
            catch (SessionMisuseException)
            {
                return false;
            }
        }

        /// <summary>Makes a call of any kind, which is refused or counts.</summary>
        public async Task CallAsync(Random random)
        {
            try
            {
                (int added, int numbers) = await DoAsync(random);
                Interlocked.Add(ref _added, added);
                Interlocked.Add(ref _numbers, numbers);
            }
            catch (Exception e) when (e is SessionMisuseException or ArgumentOutOfRangeException)
            {
                Interlocked.Increment(ref _refused); // the latter: a call came between a number and its unit
            }
        }

        // Returns how much it has added, by how many numbers.
        private async Task<(int Added, int Numbers)> DoAsync(Random random)
        {
            switch (random.Next(6))
            {
                case 0:
                    await session.RmwAsync(WordOf(random), 1);
                    return (1, 1);
                case 1:
                    session.Rmw([WordOf(random), WordOf(random)], [1, 1]);
                    return (2, 2);
                case 2:
                    await session.ReadAsync(WordOf(random));
                    return (0, 1);
                case 3 when session is HashSession own:
                    own.TimeToLive = TimeSpan.FromHours(random.Next(1, 3));
                    return (0, 0);
                case 4 when session is HashSession own:
                    using (CommitUnit unit = own.BeginUnit(own.SerialNumber + 1))
                    {
                        _ = session.Rmw(WordOf(random), 1);
                        _ = session.Rmw(WordOf(random), 1);
                        unit.Complete();
                    }

                    return (2, 1);
                default:
                    _ = session.Rmw(WordOf(random), 1);
                    return (1, 1);
            }
        }

        private static string WordOf(Random random) => Keys[random.Next(Keys.Length)];
    }
}
