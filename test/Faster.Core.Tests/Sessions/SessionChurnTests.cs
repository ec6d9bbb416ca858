using System.Collections.Concurrent;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.Sessions;

/// <summary>
/// Lives of sessions drawn from a seed, beside commits: whatever was done before a commit was asked for is there when
/// the store is opened again, and nothing else.
/// </summary>
public sealed class SessionChurnTests : IDisposable
{
    private const int Clients = 3, KeysOfClient = 50;

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(PendingOrder.Strict)]
    [InlineData(PendingOrder.Relaxed)]
    public Task Lives_of_sessions_around_commits(PendingOrder order) => Guard.RunAsync(async () =>
    {
        Client[] clients = [.. Enumerable.Range(0, Clients).Select(number => new Client(number))];
        for (int round = 0; round < TestBudget.Times(8); round++)
        {
            await using FasterStore store = await Open(order);
            Check(store, clients, round);
            var random = new Random(round);
            for (int commit = 0; commit < 3; commit++)
            {
                using var stop = new CancellationTokenSource();
                Task[] running = [.. clients.Select(client => Task.Run(() => client.RunAsync(
                    store, new Random((round * 100) + (commit * 10) + client.Number), stop.Token)))];
                for (int i = random.Next(1, 4); i > 0; i--) _ = await store.CommitAsync((CommitKind)random.Next(3));
                Task<Commit> under = store.CommitAsync((CommitKind)random.Next(3));
                await stop.CancelAsync();
                await Task.WhenAll(running);
                if (random.Next(2) == 0) _ = await under;
                _ = await store.CommitAsync((CommitKind)random.Next(3));
            }

            foreach (Client client in clients) client.DoUncommitted(store);
        }
    });

    private static void Check(FasterStore store, Client[] clients, int round)
    {
        var expected = clients.SelectMany(static client => client.Sessions).OrderBy(static s => s.Key);
        var recovered = (store.Recovery?.Sessions ?? []).Select(static point =>
        {
            Assert.Empty(point.Excluded);
            return KeyValuePair.Create(point.SessionName!, point.SerialNumber);
        }).OrderBy(static s => s.Key);
        Assert.Equal(expected, recovered);
        using FasterSession reader = store.StartSession();
        foreach (Client client in clients)
        {
            for (int i = 0; i < KeysOfClient; i++)
            {
                long key = (client.Number * KeysOfClient) + i;
                Assert.True((reader.Get(key) ?? 0) == client.Sums[i], $"Key {key} after round {round}.");
            }
        }
    }

    private async Task<FasterStore> Open(PendingOrder order) => await FasterStore.OpenAsync(
        _folder.Path,
        new StoreOptions { MemoryBudget = ByteSize.MiB(1), PendingOrder = order, CommitOnDispose = false },
        CounterOperations.Schema, CancellationToken.None);

    /// <summary>Has keys and names of its own, so that it knows what must be there.</summary>
    private sealed class Client(int number)
    {
        public int Number => number;

        public long[] Sums { get; } = new long[KeysOfClient];

        public ConcurrentDictionary<string, long> Sessions { get; } = new();

        public async Task RunAsync(FasterStore store, Random random, CancellationToken stop)
        {
            while (!stop.IsCancellationRequested)
            {
                string? name = random.Next(3) == 0 ? null : $"client {number}, session {random.Next(4)}";
                using (FasterSession session = store.StartSession(name))
                {
                    Assert.Equal(name is null ? 0 : Sessions.GetValueOrDefault(name), session.SerialNumber);
                    for (int i = random.Next(20); i > 0; i--)
                    {
                        int key = random.Next(KeysOfClient);
                        session.AddTo((number * KeysOfClient) + key, 1);
                        Sums[key]++;
                    }

                    if (random.Next(10) == 0)
                        Assert.Equal(session.SerialNumber, (await session.CommitAsync(default)).SerialNumber);
                    if (name is not null) Sessions[name] = session.SerialNumber;
                }

                if (name is null || random.Next(5) != 0) continue;
                Assert.True(store.ForgetSession(name));
                Sessions.TryRemove(name, out _);
            }
        }

        /// <summary>What no commit is asked for after: it must not be there.</summary>
        public void DoUncommitted(FasterStore store)
        {
            using FasterSession session = store.StartSession();
            for (int i = 0; i < KeysOfClient; i++) session.AddTo((number * KeysOfClient) + i, 1_000_000);
        }
    }
}
