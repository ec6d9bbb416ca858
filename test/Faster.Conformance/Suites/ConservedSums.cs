using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>
/// Transfers between accounts by several threads, each a batch under one serial number, while the store commits: a scan
/// as of any commit finds all of each batch or nothing. So does a recovery, which has of each session exactly the
/// batches up to its point.
/// </summary>
/// <typeparam name="TEngine">The engine.</typeparam>
public abstract class ConservedSums<TEngine> : DurableSuite<TEngine, long, long>
    where TEngine : IDurableEngine<long, long>
{
    private const int Accounts = 20_000, Rounds = 6, TransfersOfRound = 10, MaxTransfersBeside = 60, Width = 48;

    private static readonly long[] Keys = [.. Enumerable.Range(0, Accounts)];

    [Theory]
    [MemberData(nameof(DurableShapes))]
    public Task Transfers_are_in_a_commit_as_a_whole(string shape) => Seeded.RunAsync(1, async seed =>
    {
        var points = new long[Clients];
        int commits = 0;
        await LiveAsync(
            shape, Accounts,
            async (store, life) =>
            {
                if (life != 0) Check(store, seed, points);
                else await BeginAsync(store, seed);
            },
            (store, client, rendezvous) => Transfer(
                store, seed, client, rendezvous, () => Volatile.Read(ref commits)),
            (store, life, rendezvous) => CommitAsync(
                store, life, rendezvous, () => Interlocked.Increment(ref commits)));
        const int Least = Lives * (Rounds - 1) * TransfersOfRound;
        Assert.All(points, point => Assert.True(point >= Least, $"A commit lacks transfers: {point} of {Least}."));
    });

    // Makes each client known to a commit.
    private static async Task BeginAsync(IStoreUnderTest<long, long> store, int seed)
    {
        for (int client = 0; client < Clients; client++)
        {
            (long[] keys, long[] amounts) = TransferOf(seed, client, 1);
            UseNamed(store, client, named => named.RmwUnit(keys, amounts, 1));
        }

        _ = await store.Durability!.CommitAsync(CommitKind.FoldOver, false);
    }

    // One commit a round, beside the transfers of the round.
    private static async Task CommitAsync(
        IStoreUnderTest<long, long> store, int life, Rendezvous rendezvous, Action count)
    {
        for (int round = 0; round < Rounds; round++)
        {
            rendezvous.Meet(round);
            Commit commit = await store.Durability!.CommitAsync((CommitKind)((round + life) % 3), round % 4 == 0);
            count();
            long sum = 0, accounts = 0;
            await foreach ((_, long amount) in store.Scans!.ScanAsync(new ScanOptions { AsOf = commit }))
            {
                sum += amount;
                accounts++;
            }

            Assert.True(accounts >= Width, "A scan as of a commit has found nearly nothing.");
            Assert.True(sum == 0, $"As of commit {commit.Version} the sum is {sum}: a batch was torn.");
        }
    }

    // Some of them, and more for as long as the commit of the round takes: it meets most clients amid a batch.
    private static void Transfer(
        IStoreUnderTest<long, long> store, int seed, int client, Rendezvous rendezvous, Func<int> commits) =>
        UseNamed(store, client, named =>
        {
            long number = named.Point.SerialNumber;
            for (int round = 0; round < Rounds; round++)
            {
                rendezvous.Meet(round);
                int before = commits();
                for (int i = 0; i < TransfersOfRound || (i < MaxTransfersBeside && commits() == before); i++)
                {
                    (long[] keys, long[] amounts) = TransferOf(seed, client, ++number);
                    named.RmwUnit(keys, amounts, number);
                }
            }
        });

    // The amounts add up to zero.
    private static (long[] Keys, long[] Amounts) TransferOf(int seed, int client, long number)
    {
        Random random = DrawsOf(seed, client, number);
        long[] keys = [.. Enumerable.Range(0, Width).Select(_ => (long)random.Next(Accounts))];
        long[] amounts = [.. Enumerable.Range(0, Width / 2).Select(_ => (long)random.Next(1, 1_000_000))];
        return (keys, [.. amounts, .. amounts.Select(static amount => -amount)]);
    }

    private static void Check(IStoreUnderTest<long, long> store, int seed, long[] points)
    {
        var model = new long[Accounts];
        for (int client = 0; client < Clients; client++)
        {
            UseNamed(store, client, named =>
            {
                CommitPoint point = named.Point;
                Assert.True(point.SerialNumber >= points[client], $"Client {client} was thrown back.");
                points[client] = point.SerialNumber;
                for (long number = 1; number <= point.SerialNumber; number++)
                {
                    if (!point.Covers(number)) continue;
                    (long[] keys, long[] amounts) = TransferOf(seed, client, number);
                    for (int i = 0; i < Width; i++) model[keys[i]] += amounts[i];
                }
            });
        }

        var found = new ReadResult<long>[Accounts];
        UseSession(store, reader => reader.ReadBatch(Keys, found));
        long sum = found.Sum(static account => account.Found ? account.Value : 0);
        Assert.True(sum == 0, $"After a recovery the sum is {sum}: a batch was torn.");
        for (int key = 0; key < Accounts; key++)
        {
            long balance = found[key].Found ? found[key].Value : 0;
            Assert.True(model[key] == balance, $"Account {key} has {balance}, not {model[key]}.");
        }
    }
}
