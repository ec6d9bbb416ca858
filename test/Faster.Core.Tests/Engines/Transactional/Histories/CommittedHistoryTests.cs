using System.Globalization;
using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Testing;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines.Transactional.Histories;

/// <summary>
/// Commits beside the transactions of real threads over few records: what a copy of the folder recovers is the state at
/// one place of the one order of all transactions.
/// </summary>
public sealed class CommittedHistoryTests : IDisposable
{
    private const int Sessions = 4, Commits = 3, LeastOfEach = 200;

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(CommitAlgorithm.Cpr, 4, false)]
    [InlineData(CommitAlgorithm.Cpr, 4, true)]
    [InlineData(CommitAlgorithm.Cpr, 12, false)]
    [InlineData(CommitAlgorithm.Calc, 4, false)]
    [InlineData(CommitAlgorithm.Calc, 12, false)]
    public Task A_commit_is_a_place_in_the_order_of_transactions(CommitAlgorithm algorithm, int keys, bool readsLock) =>
        Guard.RunAsync(() => TestSeed.RunAsync(3, seed => CheckAsync(algorithm, keys, readsLock, seed)));

    private async Task CheckAsync(CommitAlgorithm algorithm, int keys, bool readsLock, int seed)
    {
        TransactionalOptions options = new()
        {
            MemoryBudget = ByteSize.MiB(1), CommitOnDispose = false, CommitAlgorithm = algorithm, ReadsLock = readsLock,
        };
        string path = Path.Combine(_folder.Path, $"{seed}");
        await using TransactionalStore store =
            await TransactionalStore.OpenAsync(path, options, TransactionCalls.Schema, default);
        TransactionalSession[] sessions =
            [.. Enumerable.Range(0, Sessions).Select(number => store.StartSession(Name(number)))];
        RecordedTransactions<UnmanagedKey<long>>[] recorded = [.. sessions.Select(static (session, number) =>
            new RecordedTransactions<UnmanagedKey<long>>(
                session, number + 1, static key => new UnmanagedKey<long>(key)))];
        using var stop = new CancellationTokenSource();
        Task[] clients = [.. recorded.Select((client, number) => Task.Run(() =>
        {
            var random = new Random((seed * Sessions) + number);
            while (!stop.IsCancellationRequested || client.Committed.Count < LeastOfEach)
                client.RunRandom(random, keys);
        }))];
        var states = new List<(IReadOnlyList<CommitPoint> Points, Dictionary<long, long> Values)>();
        try
        {
            for (int i = 0; i < Commits; i++)
            {
                await store.CommitAsync();
                states.Add(await RecoverCopyAsync(path, options, keys));
            }
        }
        finally
        {
            await stop.CancelAsync();
            await Task.WhenAll(clients);
            foreach (TransactionalSession session in sessions) session.Dispose();
        }

        HistoryCommit[] commits = [.. states.Select(state => new HistoryCommit(
            [.. recorded.Select((client, number) => HeldOf(client, state.Points, Name(number)))], state.Values))];
        string? violation = SerializabilityChecker.FindViolation(
            [.. recorded.Select(static one => one.Committed)], commits);
        Assert.True(violation is null, violation);
        Assert.Contains(commits, static commit => commit.Held.Sum() > 0);
    }

    private static string Name(int number) => number.ToString(CultureInfo.InvariantCulture);

    private static int HeldOf(
        RecordedTransactions<UnmanagedKey<long>> client, IReadOnlyList<CommitPoint> points, string name)
    {
        long last = points.FirstOrDefault(point => point.SessionName == name)?.SerialNumber ?? 0;
        return client.Serials.Count(serial => serial <= last);
    }

    private static async Task<(IReadOnlyList<CommitPoint> Points, Dictionary<long, long> Values)> RecoverCopyAsync(
        string path, TransactionalOptions options, int keys)
    {
        string copy = FolderCopy.AtOneMoment(
            path, static () => Directory.CreateTempSubdirectory("faster").FullName);
        await using (TransactionalStore store =
            await TransactionalStore.OpenAsync(copy, options, TransactionCalls.Schema, default))
        {
            var values = Enumerable.Range(0, keys).ToDictionary(static key => (long)key, static _ => 0L);
            IAsyncEnumerable<(long, long)> records = store.Analytics.ScanAsync(
                null, static record => (BitConverter.ToInt64(record.Key), BitConverter.ToInt64(record.Value)));
            await foreach ((long key, long value) in records) values[key] = value;
            Directory.Delete(copy, recursive: true);
            return (store.Recovery!.Sessions, values);
        }
    }
}
