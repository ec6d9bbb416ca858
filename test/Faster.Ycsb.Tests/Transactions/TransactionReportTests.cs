using Faster.Workload.Cells;
using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Plotting;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Tests.Transactions;

/// <summary>Tables and figures of measured transactions.</summary>
public class TransactionReportTests
{
    private static readonly TransactionCellResult[] Divided =
    [
        Cell("bare", 4e6) with { Breakdown = new TransactionBreakdown(250e-9, 0, 0, 0) },
        Cell("transactional-calc", 1e6) with { Breakdown = new TransactionBreakdown(700e-9, 200e-9, 0, 100e-9) },
        Cell("transactional-calc", 1e6) with { Run = 2, Breakdown = new TransactionBreakdown(600e-9, 100e-9, 0, 0) },
    ];

    private static readonly TransactionCellResult[] Durable =
    [
        Waiting("ours", "awaited:1x8", 6000, 1), Waiting("peer", "blocking:8", 2000, 1),
        Waiting("ours", "blocking:8", 4000, 1), Waiting("peer", "batches:1x8", 3000, 1),
        Waiting("ours", "blocking:8", 8000, 2), Waiting("peer", "blocking:8", 2000, 2),
        Waiting("ours", "blocking:2", 1000, 1) with { Outstanding = 2 },
    ];

    private static readonly CommitWindowsResult Windows = new()
    {
        Engine = "transactional", Workload = "10 keys, 50 % updated", Distribution = "zipf", Keys = 1000, Threads = 2,
        OperationsPerSecond = 1e6, Theta = 0.99,
        Windows = [new(0.25, 1e6, 6e5, 9e5), new(0.5, 1e6, 5e5, 8e5), new(0.75, 2e6, 1.6e6, 1.4e6)],
    };

    [Fact]
    public void Parts_of_the_time_have_a_row_for_each_engine()
    {
        string[] rows = Rows(BreakdownTable.Render(Divided));
        Assert.Equal("1 key, 50 % updated,0.10,bare,2,250.0,250.0,0.0,0.0,0.0", rows[2]);
        Assert.Equal("1 key, 50 % updated,0.10,transactional-calc,2,850.0,650.0,150.0,0.0,50.0", rows[3]);
    }

    [Fact]
    public void Parts_of_the_time_stand_on_each_other_in_one_bar()
    {
        BarPanel panel = Assert.IsType<BarPanel>(Assert.Single(TransactionFigure.Of(Divided).Panels));
        Assert.Equal(["bare", "calc"], panel.Groups.Select(group => group.Name));
        Assert.Equal(
            [(null, 650.0), (650.0, 800.0), (800.0, 800.0), (800.0, 850.0)],
            panel.Groups[1].Bars.Select(bar => (Rounded(bar.Bottom), Math.Round(bar.Value, 6))));
        Assert.Equal(["", "", "", "850"], panel.Groups[1].Bars.Select(bar => bar.Label));
        Assert.Contains("tail contention", SvgPlot.Draw(TransactionFigure.Of(Divided)), StringComparison.Ordinal);
    }

    [Fact]
    public void A_part_that_comes_out_below_nothing_is_not_drawn()
    {
        TransactionCellResult odd = Divided[0] with { Breakdown = new TransactionBreakdown(250e-9, -10e-9, 0, 0) };
        BarPanel panel = Assert.IsType<BarPanel>(Assert.Single(TransactionFigure.Of([odd]).Panels));
        Assert.All(panel.Groups[0].Bars, bar => Assert.Equal(250, bar.Value, 6));
    }

    [Fact]
    public void Durable_transactions_are_compared_by_how_many_are_under_way()
    {
        string[] rows = Rows(DurableTransactionTable.Render(Durable));
        Assert.Equal("1 key, 50 % updated,0.10,ours,blocking:2,2,1.00,1.00,1.0 µs,3.0 µs", rows[2]);
        Assert.Equal(
            ["2.00,3.50 (3.00–4.00)", "3.00,2.00"], rows.Where(row => row.Contains("peer", StringComparison.Ordinal))
                .Select(row => row.Split(",8,")[1].Replace(",1.0 µs,3.0 µs", "", StringComparison.Ordinal)));
        Figure figure = TransactionFigure.Of(Durable);
        BarPanel panel = Assert.IsType<BarPanel>(figure.Panels[0]);
        Assert.Equal(["1, 50 %, 8", "1, 50 %, 2"], panel.Groups.Select(group => group.Name));
        Assert.Equal(
            ["ours, awaited", "peer, blocking", "ours, blocking", "peer, batches"],
            panel.Groups[0].Bars.Select(bar => bar.Series.Name));
    }

    [Fact]
    public void Commits_show_the_worst_windows_as_shares_of_the_throughput_without()
    {
        string[] rows = Rows(CommitWindowsTable.Render([Windows]));
        Assert.Equal(
            "10 keys, 50 % updated,0.99,transactional,2,1000.0,3,0.50,60 (50–80),50,80 (70–90),70", rows[2]);
        BarPanel panel = Assert.IsType<BarPanel>(Assert.Single(CommitWindowsFigure.Of([Windows]).Panels));
        Assert.Equal([(50.0, 60.0, 80.0), (70.0, 80.0, 90.0)], panel.Groups[0].Bars.Select(bar =>
            (Math.Round(bar.Least, 6), Math.Round(bar.Value, 6), Math.Round(bar.Greatest, 6))));
    }

    private static TransactionCellResult Cell(string engine, double rate) => new()
    {
        Engine = engine, Workload = "1 key, 50 % updated", Distribution = "zipf", Keys = 1000, Threads = 2,
        OperationsPerSecond = rate, Size = 1, UpdatePercent = 50, Theta = 0.1, Rounds = 10,
        Latency = new LatencyResult(100, 1, 1e-6, 2e-6, 3e-6, 4e-6, 5e-6),
    };

    private static TransactionCellResult Waiting(string engine, string form, double rate, int run) =>
        Cell(engine, rate) with { Form = form, Asked = form, Outstanding = 8, Run = run };

    private static double? Rounded(double? value) => value is { } known ? Math.Round(known, 6) : null;

    private static string[] Rows(string table) =>
        [.. table.TrimEnd('\n').Split('\n').Select(
            row => string.Join(',', row.Trim('|').Split('|').Select(cell => cell.Trim())))];
}
