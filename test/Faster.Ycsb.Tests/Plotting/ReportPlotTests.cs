using System.Text.RegularExpressions;
using Faster.Workload.Writes;
using Faster.Ycsb.Plotting;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Tests.Reports;

namespace Faster.Ycsb.Tests.Plotting;

public partial class ReportPlotTests
{
    [Fact]
    public void Commits_are_bars_of_medians_by_kind_and_engine()
    {
        Figure figure = ReportPlot.Of(Samples.Commits());
        BarPanel atRest = Assert.IsType<BarPanel>(figure.Panels[0]);
        BarGroup group = Assert.Single(atRest.Groups);
        Assert.Equal("fold-over", group.Name);
        Assert.Equal(["faster", "faster-csharp"], group.Bars.Select(b => b.Series.Name));
        Assert.Equal([0.2, 0.8], group.Bars.Select(b => b.Value));
        Assert.Equal((0.1, 0.4), (group.Bars[0].Least, group.Bars[0].Greatest));
    }

    [Fact]
    public void A_timeline_has_a_panel_for_each_mix_and_below_it_one_for_the_log()
    {
        Figure figure = ReportPlot.Of(Samples.Timelines());
        Assert.Equal(
            ["50:50: throughput", "0:100: throughput", "50:50: log", "0:100: log"], figure.Panels.Select(p => p.Title));
        Assert.Equal(2, figure.Columns);
        LinePanel panel = Assert.IsType<LinePanel>(figure.Panels[0]);
        Assert.Equal(["uniform", "zipf"], panel.Lines.Select(l => l.Series.Name));
        Assert.Contains("fold-over", figure.Title, StringComparison.Ordinal);
        Assert.Equal([false, true], panel.Lines.Select(l => l.Series.IsDashed));
        Assert.Equal([(0.1, 5.0), (0.2, 2.5)], panel.Lines[0].Points);
        Assert.Equal([(0.1, 1.0), (0.2, 2.0)], Assert.IsType<LinePanel>(figure.Panels[2]).Lines[0].Points);
    }

    [Fact]
    public void Buffers_are_bars_by_size_with_the_interval_above()
    {
        BarPanel panel = Assert.IsType<BarPanel>(Assert.Single(ReportPlot.Of(Samples.Buffers()).Panels));
        Assert.Equal(["32 KiB", "2 MiB"], panel.Groups.Select(g => g.Name));
        Assert.Equal(["20 ms", "20 ms"], panel.Groups[0].Bars.Select(b => b.Label));
        Assert.Equal("1.50 s", panel.Groups[1].Bars[0].Label);
    }

    [Fact]
    public void Engines_are_bars_by_workload()
    {
        BarPanel panel = Assert.IsType<BarPanel>(Assert.Single(ReportPlot.Of(Samples.Runs()).Panels));
        Assert.Equal("zipf, 2 threads", panel.Title);
        Assert.Equal([(8.0, 9.0, 10.0), (1.0, 2.0, 3.0)],
            Assert.Single(panel.Groups).Bars.Select(b => (b.Least, b.Value, b.Greatest)));
    }

    [Fact]
    public void Regions_are_lines_by_the_size_of_the_mutable_region_or_by_threads()
    {
        Figure figure = ReportPlot.Of(Samples.Regions());
        LinePanel panel = Assert.IsType<LinePanel>(figure.Panels[0]);
        Assert.Equal(["uniform", "zipf"], panel.Lines.Select(l => l.Series.Name));
        Assert.Equal([(0.5, 2.0), (0.9, 4.0)], panel.Lines[0].Points);
        Assert.Equal([(0.5, 0.25), (0.9, 0.25)], Assert.IsType<LinePanel>(figure.Panels[2]).Lines[0].Points);

        Report byThreads = Samples.Regions() with
        {
            Measurements = [.. Samples.Regions().Measurements.Select((m, i) => m with { Threads = i + 1 })],
        };
        panel = Assert.IsType<LinePanel>(ReportPlot.Of(byThreads).Panels[0]);
        Assert.Equal("threads", panel.XTitle);
        Assert.Equal([(1.0, 4.0), (2.0, 2.0)], panel.Lines[0].Points);
    }

    [Fact]
    public void Churn_is_lines_over_time_beside_the_budget()
    {
        Figure figure = ReportPlot.Of(Samples.Churns());
        LinePanel disk = Assert.IsType<LinePanel>(figure.Panels[1]);
        Assert.Equal(["uniform", "zipf", "budget"], disk.Lines.Select(l => l.Series.Name));
        Assert.Equal([(0.25, 1.0), (0.5, 3.0)], disk.Lines[0].Points);
        Assert.Equal([(0.0, 4.0), (0.5, 4.0)], disk.Lines[2].Points);
    }

    [Fact]
    public void Compactions_are_bars_of_time_and_memory()
    {
        Figure figure = ReportPlot.Of(Samples.Compactions());
        BarGroup time = Assert.Single(Assert.IsType<BarPanel>(figure.Panels[0]).Groups);
        Assert.Equal([(2.0, 3.0, 4.0), (8.0, 8.0, 8.0)], time.Bars.Select(b => (b.Least, b.Value, b.Greatest)));
        Assert.Equal(
            ["faster-csharp, lookup, 1 thread", "faster-csharp, scan, 1 thread"], time.Bars.Select(b => b.Series.Name));
        Assert.Equal("3", Assert.Single(Assert.IsType<BarPanel>(figure.Panels[1]).Groups).Bars[0].Label);
    }

    [Fact]
    public void Durable_writes_are_bars_by_form_and_lines_over_time_where_they_are_long()
    {
        Figure figure = ReportPlot.Of(Samples.Durable());
        BarPanel rates = Assert.IsType<BarPanel>(figure.Panels[0]);
        Assert.Equal(["blocking:8", "awaited:8x64"], rates.Groups.Select(g => g.Name));
        Assert.Equal([5.0, 2.0], rates.Groups[0].Bars.Select(b => b.Value));
        Assert.Equal(4, figure.Panels.Count);

        double[] seconds = [.. Enumerable.Range(1, 30)];
        Report longRun = Samples.Durable() with
        {
            Measurements = [.. Samples.Durable().Measurements.OfType<DurableResult>().Select(
                r => r with { Seconds = seconds, BinPerSecond = seconds })],
        };
        LinePanel overTime = Assert.IsType<LinePanel>(ReportPlot.Of(longRun).Panels[4]);
        Assert.Equal(["faster-durable", "rocksdb-sync"], overTime.Lines.Select(l => l.Series.Name));
    }

    [Fact]
    public void Paces_are_bars_with_whiskers_and_replays_lines_by_length()
    {
        BarPanel paced = Assert.IsType<BarPanel>(Assert.Single(ReportPlot.Of(Samples.Paced()).Panels));
        Assert.Equal(["1.75", "12.5"], paced.Groups.Select(g => g.Name));
        Bar bar = Assert.Single(paced.Groups[1].Bars);
        Assert.Equal((0.5, 0.25, 0.75), (bar.Value, bar.Least, bar.Greatest));
        LinePanel replays = Assert.IsType<LinePanel>(Assert.Single(ReportPlot.Of(Samples.Replays()).Panels));
        Assert.Equal([(16.0, 0.1), (64.0, 0.3)], replays.Lines[0].Points.Select(p => (p.X, Math.Round(p.Y, 3))));
    }

    [Fact]
    public void Tags_are_a_line_of_medians_by_bits()
    {
        LinePanel panel = Assert.IsType<LinePanel>(Assert.Single(ReportPlot.Of(Samples.Tags()).Panels));
        Assert.Equal([(1.0, 4.0), (14.0, 8.0)], Assert.Single(panel.Lines).Points);
    }

    [Fact]
    public void Slices_are_bars_of_the_bare_tables_share_with_whiskers()
    {
        BarPanel panel = Assert.IsType<BarPanel>(Assert.Single(ReportPlot.Of(Samples.Slices()).Panels));
        Assert.Equal(["c", "rmw"], panel.Groups.Select(g => g.Name));
        Bar bar = Assert.Single(panel.Groups[1].Bars);
        Assert.Equal((0.75, 0.65, 0.85), (bar.Value, bar.Least, bar.Greatest));
    }

    [Fact]
    public void A_sweep_is_a_line_in_the_order_of_its_axis()
    {
        LinePanel panel = Assert.IsType<LinePanel>(Assert.Single(ReportPlot.Of(Samples.Sweeps()).Panels));
        Assert.Equal("threads", panel.XTitle);
        Assert.Equal([(1.0, 1.0), (2.0, 2.0), (4.0, 4.0)], Assert.Single(panel.Lines).Points);
    }

    [Fact]
    public void Limits_are_bars_of_memory_and_of_the_disk()
    {
        Figure figure = ReportPlot.Of(Samples.Limits());
        Assert.Equal(["Memory, 1 thread", "Random reads of 4 KiB"], figure.Panels.Select(p => p.Title));
        Assert.Equal([40.0, 30.0], Assert.IsType<BarPanel>(figure.Panels[0]).Groups[0].Bars.Select(b => b.Value));
    }

    [Fact]
    public void Simulations_are_lines_by_size_of_the_cache()
    {
        LinePanel panel = Assert.IsType<LinePanel>(Assert.Single(ReportPlot.Of(Samples.Simulations()).Panels));
        Assert.Equal("zipf, 100 keys", panel.Title);
        Assert.Equal(["hlog", "lru-1"], panel.Lines.Select(l => l.Series.Name));
        Assert.Equal([(5.0, 25.0), (10.0, 50.0)], panel.Lines[0].Points);
    }

    [Fact]
    public void Every_report_becomes_well_formed_xml()
    {
        Report[] reports =
        [
            Samples.Commits(), Samples.Timelines(), Samples.Buffers(), Samples.Rests(), Samples.Runs(),
            Samples.Sweeps(), Samples.Limits(), Samples.Slices(), Samples.Simulations(), Samples.Durable(),
            Samples.Paced(), Samples.Replays(),
        ];
        Assert.All(reports, report =>
        {
            string svg = SvgPlot.Draw(ReportPlot.Of(report));
            Assert.NotEmpty(System.Xml.Linq.XElement.Parse(svg).Elements());
            Assert.DoesNotMatch(NoNumber(), svg);
        });
    }

    [Fact]
    public void A_report_of_nothing_is_refused()
    {
        Report empty = Samples.Commits() with { Measurements = [] };
        Assert.Throws<UsageException>(() => ReportPlot.Of(empty));
    }

    [GeneratedRegex("NaN|∞")]
    private static partial Regex NoNumber();
}
