using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Engines.Transactions;
using Faster.Ycsb.Tests.Engines;

namespace Faster.Ycsb.Tests.Transactions;

/// <summary>Engines run transactions of each kind, and what they lose is found.</summary>
public class TransactionStepTests
{
    private const int Keys = 2000;

    private static readonly TransactionCell[] Cells =
        [new(1, 50, 0.99, 2), new(10, 50, 0.99, 2), new(3, 0, 0.1, 1), new(3, 100, 0.1, 1)];

    [Theory]
    [InlineData("transactional")]
    [InlineData("transactional-calc")]
    [InlineData("transactional-wal")]
    [InlineData("bare")]
    [InlineData("sqlite")]
    [InlineData("sqlite-full")]
    [PeerData("rocksdb-transactions")]
    [PeerData("rocksdb-transactions-sync")]
    public async Task An_engine_runs_transactions_of_each_kind(string name)
    {
        List<StepResult> results = await RunAsync(SourceOf(name), Settings());
        Assert.Equal(Cells.Select(cell => cell.Workload), results.Select(result => result.Workload));
        Assert.All(results.Cast<TransactionCellResult>(), result =>
        {
            Assert.Equal((name, Keys), (result.Engine, result.Keys));
            Assert.True(result.OperationsPerSecond > 0 && result.Latency!.P99 >= result.Latency.P50);
            bool isOurs = name.StartsWith("transactional", StringComparison.Ordinal);
            Assert.Equal(isOurs, result.Ratio is not null);
            Assert.Equal(isOurs, result.ConflictsPerThousand is not null);
        });
    }

    [Fact]
    public async Task A_store_commits_while_transactions_run()
    {
        TransactionSettings settings = Settings() with { Cells = [Cells[1]], CommitTimes = [0.1], Seconds = 0.3 };
        var result = (TimelineResult)Assert.Single(await RunAsync(SourceOf("transactional"), settings));
        Assert.InRange(Assert.Single(result.Commits).StartSeconds, 0.05, 60);
        Assert.NotEmpty(result.BinPerSecond);
    }

    [Fact]
    public async Task A_lost_update_is_found()
    {
        var lossy = new TransactionSource(
            "lossy", static () => null, static (_, keys) => Task.FromResult<ITransactionEngine>(new Lossy(keys)));
        await Assert.ThrowsAsync<WrongAnswerException>(() => RunAsync(lossy, Settings()));
    }

    [Fact]
    public void Keys_of_a_transaction_differ_and_its_share_of_updates_is_as_asked()
    {
        const int Count = 10_000;
        var stream = new TransactionStream(new ZipfKeys(20, 0.99), 20, new TransactionCell(10, 50, 0.99, 1), seed: 1);
        int updated = 0;
        for (int i = 0; i < Count; i++)
        {
            stream.Take(out ReadOnlySpan<long> reads, out ReadOnlySpan<long> updates);
            long[] all = [.. reads, .. updates];
            Assert.Equal(10, all.Distinct().Count());
            updated += updates.Length;
        }

        Assert.InRange(updated, Count * 4, Count * 6);
    }

    private static IEngineSource SourceOf(string name) => TransactionSource.All.Single(source => source.Name == name);

    private static TransactionSettings Settings() =>
        new() { Keys = Keys, Cells = Cells, Seconds = 0.1, WarmUpSeconds = 0.05 };

    private static async Task<List<StepResult>> RunAsync(IEngineSource source, TransactionSettings settings)
    {
        string folder = Directory.CreateTempSubdirectory("ycsb-transactions-").FullName;
        try
        {
            List<StepResult> results = [];
            await TransactionStep.RunAsync(source, folder, settings, results.Add);
            return results;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Forgets the first update of each transaction.</summary>
    private sealed class Lossy(int keys) : ITransactionEngine
    {
        private readonly BareAccounts _inner = new(keys);

        public void Load(int keys) => _inner.Load(keys);

        public ITransactionWorker StartTransactions() => new Worker(_inner.StartTransactions());

        public ValueTask DisposeAsync() => _inner.DisposeAsync();

        private sealed class Worker(ITransactionWorker inner) : ITransactionWorker
        {
            public long Run(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount) =>
                inner.Run(reads, updates.IsEmpty ? updates : updates[1..], amount);

            public void Dispose() => inner.Dispose();
        }
    }
}
