using System.Globalization;
using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Testing;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines.Transactional;

/// <summary>Commits of a transactional store: what a folder holds as of each of them, and how sessions go on.</summary>
public sealed class TransactionCommitTests : IDisposable
{
    private const int Sessions = 4;

    private static readonly TransactionalOptions NoLastCommit = new()
    {
        MemoryBudget = ByteSize.MiB(4), CommitOnDispose = false,
    };

    private readonly TemporaryFolder _folder = new();
    private readonly NumberedSteps.Model _model = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(CommitAlgorithm.Cpr)]
    [InlineData(CommitAlgorithm.Calc)]
    public Task A_commit_beside_transactions_holds_a_prefix_of_each_session(CommitAlgorithm algorithm) =>
        Guard.RunAsync(() => LiveAsync(algorithm));

    [Fact]
    public Task A_commit_of_a_store_at_rest_holds_everything() => Guard.RunAsync(async () =>
    {
        await using (TransactionalStore store = await OpenAsync(_folder.Path))
        {
            using TransactionalSession session = store.StartSession("0");
            for (int i = 0; i < 1000; i++) NumberedSteps.Run(session, 0);
            Commit commit = await store.CommitAsync();
            Assert.False(commit.WasEmpty);
            Assert.True((await store.CommitAsync()).WasEmpty);
            Assert.Equal(1000, session.LastCommit.SerialNumber);
            NumberedSteps.Run(session, 0);
            Assert.True(store.Statistics.HasUncommittedWork);
        }

        await using TransactionalStore again = await OpenAsync(_folder.Path);
        using TransactionalSession continued = again.ContinueSession("0", out CommitPoint point);
        Assert.Equal(1000, point.SerialNumber);
        Assert.Equal(1000, continued.SerialNumber);
        await _model.CheckAsync(again, [point]);
    });

    private async Task LiveAsync(CommitAlgorithm algorithm)
    {
        int commits = TestBudget.Times(4);
        for (int life = 0; life < 3; life++)
        {
            await using TransactionalStore store = await OpenAsync(_folder.Path, algorithm);
            if (store.Recovery is { } recovery) await _model.CheckAsync(store, recovery.Sessions);
            using var stop = new CancellationTokenSource();
            Task[] clients =
                [.. Enumerable.Range(0, Sessions).Select(number => Task.Run(() => Work(store, number, stop)))];
            try
            {
                for (int i = 0; i < commits; i++) await CheckAsync(await store.CommitAsync());
            }
            finally
            {
                await stop.CancelAsync();
                await Task.WhenAll(clients);
            }
        }
    }

    private static void Work(TransactionalStore store, int number, CancellationTokenSource stop)
    {
        using TransactionalSession session = store.StartSession(number.ToString(CultureInfo.InvariantCulture));
        while (!stop.IsCancellationRequested) NumberedSteps.Run(session, number);
    }

    private static async Task<TransactionalStore> OpenAsync(
        string path, CommitAlgorithm algorithm = CommitAlgorithm.Cpr) => await TransactionalStore.OpenAsync(
            path, NoLastCommit with { CommitAlgorithm = algorithm }, TransactionCalls.Schema, default);

    private async Task CheckAsync(Commit commit)
    {
        string copy = FolderCopy.AtOneMoment(
            _folder.Path, static () => Directory.CreateTempSubdirectory("faster").FullName);
        await using (TransactionalStore store = await OpenAsync(copy))
        {
            Assert.Equal(commit.Version, store.Recovery!.Version);
            await _model.CheckAsync(store, store.Recovery.Sessions);
        }

        Directory.Delete(copy, recursive: true);
    }
}
