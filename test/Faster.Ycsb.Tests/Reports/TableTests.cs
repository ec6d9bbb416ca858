using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Workload.Writes;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Tests.Reports;

public class TableTests
{
    [Fact]
    public void Commits_show_median_spread_and_how_much_longer_others_take()
    {
        string[][] rows = Cells(CommitTable.Render(new CommitFigures(Samples.Commits().Measurements)));
        Assert.Equal("0.20 (0.10–0.40)", Cell(rows, "faster", "at rest, s"));
        Assert.Equal("0.80, 4.0×", Cell(rows, "faster-csharp", "at rest, s"));
        Assert.Equal("1.80, 6.0×", Cell(rows, "faster-csharp", "recovery, s"));
        Assert.Equal("80", Cell(rows, "faster", "during, % of before"));
        Assert.Equal("60", Cell(rows, "faster", "worst 50 ms, % of before"));
        Assert.Equal("–", Cell(rows, "faster-csharp", "under 2 threads, s"));
    }

    [Fact]
    public void A_timeline_separates_what_is_before_in_and_after_commits()
    {
        TimelineResult run = Samples.Timelines().Measurements.OfType<TimelineResult>().First() with
        {
            Commits = [new CommitSpan(1, 2) { BeforePerSecond = 5e6, WorstPerSecond = 1e6 }],
            Seconds = [1, 2, 3], BinPerSecond = [5e6, 2e6, 4e6],
            LogBytes = [1, 2, 3 << 20],
        };
        string[][] rows = Cells(TimelineTable.Render([run]));
        Assert.Equal(
            ["50:50", "uniform", "2", "fold-over", "faster", "5.0", "2.0", "0.20", "4.0", "1.00", "3"], rows[2]);
    }

    [Fact]
    public void Builds_are_compared_by_medians_and_by_pairs()
    {
        string[][] rows = Cells(RestTable.Render([.. Samples.Rests().Measurements.OfType<RestResult>()]));
        Assert.Equal(["read", "uniform", "1", "store", "10.00", "11.00", "1.100", "1.100"], rows[2]);
    }

    [Fact]
    public void Engines_stand_side_by_side_with_ratios_run_by_run()
    {
        RunResult[] runs = [.. Samples.Runs().Measurements.OfType<RunResult>()];
        Assert.Equal(
            ["a", "zipf", "2", "9.00 (8.00–10.00)", "2.00 (1.00–3.00)", "4.00 (3.00–10.00)"],
            Cells(RunTable.Render(runs))[2]);
        string[][] costs = Cells(CostTable.Render(runs));
        Assert.Equal(["faster", "dictionary"], costs.Skip(2).Select(row => row[3]));
        Assert.Equal(["100 ns", "3.0 µs", "4.0 ms", "40.0", "–", "512", "1.50", "0.5", "–"], costs[2][4..]);
    }

    [Fact]
    public void Regions_have_a_row_each_and_tags_their_medians_beside_the_widest()
    {
        string[][] regions = Cells(RegionTable.Render([.. Samples.Regions().Measurements.OfType<RegionResult>()]));
        Assert.Equal(["uniform", "2", "0.90", "4.00", "3.0", "0.2500", "0.0000"], regions[2]);
        string[][] tags = Cells(TagTable.Render([.. Samples.Tags().Measurements.OfType<TagResult>()]));
        Assert.Equal([["uniform", "1", "4.00", "50"], ["uniform", "14", "8.00", "100"]], tags[2..]);
    }

    [Fact]
    public void Slices_have_a_row_for_each_engine_beside_the_bare_table()
    {
        string[][] rows = Cells(SliceTable.Render([.. Samples.Slices().Measurements.OfType<SliceResult>()]));
        Assert.Equal(["c", "uniform", "faster", "1", "4.00", "0.50", "0.40–0.60", "20"], rows[2]);
    }

    [Fact]
    public void The_ratio_of_slices_is_named_after_what_they_are_compared_with()
    {
        SliceResult[] slices = [.. Samples.Slices().Measurements.OfType<SliceResult>()];
        Assert.Equal("÷ bare", SliceTable.RatioOf(slices));
        Assert.Equal("÷ hotring", SliceTable.RatioOf([.. slices.Select(s => s with { Yardstick = "hotring" })]));
        Assert.Equal("÷ bare", SliceTable.RatioOf([slices[0], slices[0] with { Yardstick = "bare-batch" }]));
    }

    [Fact]
    public void Churn_has_a_row_for_each_run()
    {
        string[][] rows = Cells(ChurnTable.Render([.. Samples.Churns().Measurements.OfType<ChurnResult>()]));
        Assert.Equal(["uniform", "2", "2", "4", "1.00", "1.75", "1.50", "0.25", "8–9"], rows[2]);
    }

    [Fact]
    public void Compactions_have_a_row_for_each_method_and_medians()
    {
        CompactionRunResult[] compactions =
            [.. Samples.Compactions().Measurements.OfType<CompactionRunResult>()];
        string[][] rows = Cells(CompactionTable.Render(compactions));
        Assert.Equal(
            ["faster-csharp", "lookup", "1", "12", "3.00 (2.00–4.00)", "4", "6", "3", "24", "6"], rows[2]);
        Assert.Equal("scan", rows[3][1]);
        compactions[0] = compactions[0] with { PeakBytes = null };
        Assert.Equal("–", Cells(CompactionTable.Render(compactions[..1]))[2][7]);
    }

    [Fact]
    public void Durable_writes_have_a_row_for_each_form_and_engine_with_ratios_run_by_run()
    {
        string[][] rows = Cells(DurableTable.Render([.. Samples.Durable().Measurements.OfType<DurableResult>()]));
        Assert.Equal(
            [
                "blocking:8", "uniform", "rocksdb-sync", "blocking:8", "2.00", "2.50 (2.00–3.00)", "1.00", "1.0 ms",
                "3.0 ms", "250", "8.0", "25.0 µs", "500", "5.00", "6.00",
            ],
            rows[3]);
        Assert.Equal(("5.00 (4.00–6.00)", "1.00"), (rows[2][4], rows[2][5]));
        Assert.Equal(("awaited:8x64", "blocking:512", "–"), (rows[4][0], rows[4][3], rows[4][5]));
    }

    [Fact]
    public void Paces_have_a_row_each_and_lengths_a_column_for_each_engine()
    {
        string[][] paced = Cells(PacedTable.Render([.. Samples.Paced().Measurements.OfType<PacedResult>()]));
        Assert.Equal(
            [
                "uniform", "faster-durable", "faster", "50", "12.5", "140.0", "4.00", "8.00", "0.500", "0.250–0.750",
                "20",
            ],
            paced[3]);
        string[][] replays = Cells(ReplayTable.Render([.. Samples.Replays().Measurements.OfType<ReplayResult>()]));
        Assert.Equal(["64 MiB", "0.300 (0.200–0.400)", "0.500"], replays[2]);
        Assert.Equal(["16 MiB", "0.100", "–"], replays[3]);
    }

    [Theory]
    [InlineData(new double[] { 3 }, "3.0")]
    [InlineData(new double[] { 4, 1, 2, 3 }, "2.5 (1.0–4.0)")]
    public void A_spread_is_median_least_and_greatest(double[] values, string expected) =>
        Assert.Equal(expected, Spread.Of(values).ToString("F1"));

    private static string[][] Cells(string table) =>
        [.. table.TrimEnd('\n').Split('\n').Select(row => row.Trim('|').Split('|').Select(c => c.Trim()).ToArray())];

    private static string Cell(string[][] rows, string engine, string column) =>
        rows.Single(r => r[1] == engine)[Array.IndexOf(rows[0], column)];
}
