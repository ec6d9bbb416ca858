using Faster.Conformance.Contract;
using Faster.Conformance.Engines.FasterStore;

namespace Faster.Conformance.Tests;

/// <summary>
/// Transfers between accounts by several threads, each a batch under one serial number, while the store commits: a scan
/// as of any commit finds all of each batch or nothing. So does a recovery, which has of each session exactly the
/// batches up to its point.
/// </summary>
public sealed class SumsAreConserved
{
    private const int Accounts = 20_000, Clients = 3, Lives = 2, Rounds = 6, TransfersOfRound = 80, Width = 6;

    private static readonly StoreOptions Options = new()
    {
        MemoryBudget = ByteSize.KiB(512), PageSize = ByteSize.KiB(4), ExpectedKeys = Accounts,
        CommitOnDispose = false, // else no commit beside transfers would be recovered
        ReadCacheFraction = 0,
    };

    private static readonly long[] Keys = [.. Enumerable.Range(0, Accounts)];

    [Theory]
    [InlineData(PendingOrder.Strict)]
    [InlineData(PendingOrder.Relaxed)]
    public Task Over_batches_under_one_number(PendingOrder order) => TestSeed.RunAsync(1, async seed =>
    {
        string folder = Directory.CreateTempSubdirectory("faster-sums-").FullName;
        try
        {
            await Task.Run(() => RunAsync(folder, Options with { PendingOrder = order }, seed));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    });

    private static async Task RunAsync(string folder, StoreOptions options, int seed)
    {
        var points = new long[Clients];
        for (int life = 0; life <= Lives; life++)
        {
            await using Counters.Store store = await Counters.OpenAsync(folder, options);
            long[] told = [.. points];
            if (life != 0) Check(store, seed, told, points);
            if (life == Lives) break;
            if (life == 0) await BeginAsync(store, seed);
            var rendezvous = new Rendezvous(Clients + 1);
            Workers.Run(Clients + 1, worker =>
            {
                try
                {
                    if (worker == Clients) CommitAsync(store, life, rendezvous).GetAwaiter().GetResult();
                    else Transfer(store, seed, worker, rendezvous);
                }
                catch
                {
                    rendezvous.GiveUp();
                    throw;
                }
            });
        }

        const int Least = Lives * (Rounds - 1) * TransfersOfRound;
        Assert.All(points, point => Assert.True(point > Least, $"A commit lacks transfers: {point} of {Least}."));
    }

    // Makes each client known to a commit.
    private static async Task BeginAsync(Counters.Store store, int seed)
    {
        for (int client = 0; client < Clients; client++)
        {
            using Counters.Session session = store.StartSession(Name(client));
            (long[] keys, long[] amounts) = TransferOf(seed, client, 1);
            session.Rmw(keys, amounts, 1);
        }

        _ = await store.CommitAsync();
    }

    // One commit a round, beside the transfers of the round.
    private static async Task CommitAsync(Counters.Store store, int life, Rendezvous rendezvous)
    {
        for (int round = 0; round < Rounds; round++)
        {
            rendezvous.Meet(round);
            Commit commit = await store.CommitAsync(
                (CommitKind)((round + life) % 3), withIndex: round % 4 == 0, CancellationToken.None);
            long sum = 0, accounts = 0;
            await foreach (Counters.Record account in
                store.ScanAsync(new ScanOptions { AsOf = commit }, CancellationToken.None))
            {
                sum += account.Value;
                accounts++;
            }

            Assert.True(accounts >= Width, "A scan as of a commit has found nearly nothing.");
            Assert.True(sum == 0, $"As of commit {commit.Version} the sum is {sum}: a batch was torn.");
        }
    }

    private static void Transfer(Counters.Store store, int seed, int client, Rendezvous rendezvous)
    {
        using Counters.Session session = store.ContinueSession(Name(client), out CommitPoint point);
        long number = point.SerialNumber;
        for (int round = 0; round < Rounds; round++)
        {
            rendezvous.Meet(round);
            for (int i = 0; i < TransfersOfRound; i++)
            {
                (long[] keys, long[] amounts) = TransferOf(seed, client, ++number);
                session.Rmw(keys, amounts, number);
            }
        }
    }

    // Follows from seed, client and number alone; the amounts add up to zero.
    private static (long[] Keys, long[] Amounts) TransferOf(int seed, int client, long number)
    {
        var random = new Random(HashCode.Combine(seed, client, number));
        long[] keys = [.. Enumerable.Range(0, Width).Select(_ => (long)random.Next(Accounts))];
        long[] amounts = [.. Enumerable.Range(0, Width / 2).Select(_ => (long)random.Next(1, 1_000_000))];
        return (keys, [.. amounts, .. amounts.Select(static amount => -amount)]);
    }

    private static void Check(Counters.Store store, int seed, long[] told, long[] points)
    {
        var model = new long[Accounts];
        for (int client = 0; client < Clients; client++)
        {
            using Counters.Session session = store.ContinueSession(Name(client), out CommitPoint point);
            Assert.True(point.SerialNumber >= told[client], $"Client {client} was thrown back.");
            points[client] = point.SerialNumber;
            for (long number = 1; number <= point.SerialNumber; number++)
            {
                if (point.Excluded.Contains(number)) continue;
                (long[] keys, long[] amounts) = TransferOf(seed, client, number);
                for (int i = 0; i < Width; i++) model[keys[i]] += amounts[i];
            }
        }

        using Counters.Session reader = store.StartSession();
        var found = new ReadResult<long>[Accounts];
        reader.Read(Keys, found);
        Assert.Equal(0, found.Sum(static account => account.Found ? account.Value : 0));
        for (int key = 0; key < Accounts; key++)
        {
            long balance = found[key].Found ? found[key].Value : 0;
            Assert.True(model[key] == balance, $"Account {key} has {balance}, not {model[key]}.");
        }
    }

    private static string Name(int client) => $"client-{client}";
}
