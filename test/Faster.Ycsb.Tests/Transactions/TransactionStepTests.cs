using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Workload.Experiments.Transactions;
using Faster.Workload.Writes;
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
    [InlineData("transactional-wal-sync")]
    [InlineData("bare")]
    [InlineData("sqlite")]
    [InlineData("sqlite-full")]
    [PeerData("rocksdb-transactions")]
    [PeerData("rocksdb-transactions-sync")]
    [PeerData("lmdb")]
    [PeerData("lmdb-sync")]
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
            Assert.Equal(isOurs && name != "transactional", result.CprRatio is { Low: > 0 });
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
    public async Task Commits_are_measured_beside_times_without_one()
    {
        TransactionSettings settings = Settings() with { Cells = [Cells[1]], Commits = 2 };
        var result = (CommitWindowsResult)Assert.Single(await RunAsync(SourceOf("transactional"), settings));
        Assert.Equal(2, result.Windows.Count);
        Assert.All(
            result.Windows, window => Assert.True(window.WorstWithout <= window.PerSecond && window.Seconds > 0));
    }

    [Theory]
    [InlineData("sqlite-full")]
    [PeerData("rocksdb-transactions-sync")]
    [PeerData("lmdb-sync")]
    public async Task Durable_transactions_are_run_by_threads_and_in_groups(string name)
    {
        Assert.Equal([WriteForm.Blocking, WriteForm.Batches], SourceOf(name).Forms);
        List<StepResult> results = await RunAsync(SourceOf(name), WithForms("blocking:3", "batches:2x4"));
        Assert.Equal([3, 8], results.Cast<TransactionCellResult>().Select(result => result.Outstanding));
        Assert.All(results, result => Assert.True(result.OperationsPerSecond > 0));
    }

    [Fact]
    public async Task Transactions_are_awaited_while_others_are_under_way()
    {
        List<StepResult> results = await RunAsync(SourceOf("transactional"), WithForms("awaited:2x4"));
        var result = (TransactionCellResult)Assert.Single(results);
        Assert.Equal(("awaited:2x4", 8, null), (result.Form, result.Outstanding, result.Ratio));
        Assert.True(result.OperationsPerSecond > 0 && result.Latency!.Samples > 0);
    }

    [Theory]
    [InlineData("transactional")]
    [InlineData("transactional-calc")]
    [InlineData("bare")]
    public async Task The_time_of_transactions_is_divided(string name)
    {
        List<StepResult> results = await RunAsync(SourceOf(name), Settings() with { HasBreakdown = true });
        Assert.All(results.Cast<TransactionCellResult>(), result =>
        {
            TransactionBreakdown parts = result.Breakdown!;
            Assert.True(parts.Total > 0 && parts.Abort >= 0 && parts.Log == 0);
            Assert.Equal(name == "transactional-calc", parts.Tail != 0);
        });
    }

    [Fact]
    public async Task An_engine_that_tells_no_conflicts_is_not_divided()
    {
        List<StepResult> results = await RunAsync(SourceOf("sqlite"), Settings() with { HasBreakdown = true });
        Assert.All(results.Cast<TransactionCellResult>(), result => Assert.Null(result.Breakdown));
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
            stream.Take(1, out ReadOnlySpan<long> reads, out ReadOnlySpan<long> updates);
            long[] all = [.. reads, .. updates];
            Assert.Equal(10, all.Distinct().Count());
            updated += updates.Length;
        }

        Assert.InRange(updated, Count * 4, Count * 6);
    }

    [Fact]
    public void A_group_has_the_keys_of_its_transactions_in_their_order()
    {
        TransactionCell cell = new(10, 50, 0.99, 1);
        var single = new TransactionStream(new ZipfKeys(20, 0.99), 20, cell, seed: 1);
        var grouped = new TransactionStream(new ZipfKeys(20, 0.99), 20, cell, seed: 1);
        List<long> read = [], updated = [];
        for (int i = 0; i < 5; i++)
        {
            single.Take(1, out ReadOnlySpan<long> reads, out ReadOnlySpan<long> updates);
            read.AddRange(reads);
            updated.AddRange(updates);
        }

        grouped.Take(5, out ReadOnlySpan<long> groupReads, out ReadOnlySpan<long> groupUpdates);
        Assert.Equal(read, groupReads.ToArray());
        Assert.Equal(updated, groupUpdates.ToArray());
    }

    private static TransactionSource SourceOf(string name) =>
        TransactionSource.All.Single(source => source.Name == name);

    private static TransactionSettings Settings() =>
        new() { Keys = Keys, Cells = Cells, Seconds = 0.1, WarmUpSeconds = 0.05 };

    private static TransactionSettings WithForms(params string[] forms) => Settings() with
    {
        Cells =
        [
            .. forms.Select(form => new TransactionCell(
                4, 50, 0.99, WriteShape.TryParse(form, out WriteShape? shape) ? shape.Sessions : 0)
            {
                Form = form,
            }),
        ],
    };

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
