using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>One pair of axes and what is drawn between them. Vertical axes begin at 0.</summary>
/// <param name="Title">What it shows.</param>
/// <param name="XTitle">What the horizontal axis counts.</param>
/// <param name="YTitle">What the vertical axis counts.</param>
internal abstract record Panel(string Title, string XTitle, string YTitle)
{
    /// <summary>The series that appear in it.</summary>
    public abstract IEnumerable<Series> Series { get; }

    /// <summary>The greatest value that the vertical axis must show.</summary>
    public abstract double Highest { get; }
}

/// <summary>Lines over a horizontal axis of numbers from 0 on.</summary>
/// <param name="Title">What it shows.</param>
/// <param name="XTitle">What the horizontal axis counts.</param>
/// <param name="YTitle">What the vertical axis counts.</param>
/// <param name="Lines">The lines.</param>
/// <param name="Bands">Spans of the horizontal axis, marked at their start and shaded.</param>
internal sealed record LinePanel(
    string Title, string XTitle, string YTitle, IReadOnlyList<Line> Lines, IReadOnlyList<Band> Bands)
    : Panel(Title, XTitle, YTitle)
{
    /// <inheritdoc/>
    public override IEnumerable<Series> Series => Lines.Select(l => l.Series);

    /// <inheritdoc/>
    public override double Highest => Lines.SelectMany(l => l.Points).Select(p => p.Y).DefaultIfEmpty().Max();

    /// <summary>The greatest value that the horizontal axis must show.</summary>
    public double Rightmost => Lines.SelectMany(l => l.Points).Select(p => p.X).DefaultIfEmpty().Max();
}

/// <summary>A line.</summary>
/// <param name="Series">Its look.</param>
/// <param name="Points">Its points, from left to right.</param>
internal sealed record Line(Series Series, IReadOnlyList<(double X, double Y)> Points);

/// <summary>A shaded span.</summary>
/// <param name="Series">Its look.</param>
/// <param name="From">Where it begins.</param>
/// <param name="To">Where it ends.</param>
internal sealed record Band(Series Series, double From, double To);

/// <summary>Bars in named groups.</summary>
/// <param name="Title">What it shows.</param>
/// <param name="XTitle">What the horizontal axis names.</param>
/// <param name="YTitle">What the vertical axis counts.</param>
/// <param name="Groups">The groups, from left to right.</param>
internal sealed record BarPanel(string Title, string XTitle, string YTitle, IReadOnlyList<BarGroup> Groups)
    : Panel(Title, XTitle, YTitle)
{
    /// <inheritdoc/>
    public override IEnumerable<Series> Series => Groups.SelectMany(g => g.Bars).Select(b => b.Series);

    /// <inheritdoc/>
    public override double Highest => Groups.SelectMany(g => g.Bars).Select(b => b.Greatest).DefaultIfEmpty().Max();
}

/// <summary>Bars that stand together.</summary>
/// <param name="Name">What is written below.</param>
/// <param name="Bars">The bars.</param>
internal sealed record BarGroup(string Name, IReadOnlyList<Bar> Bars);

/// <summary>A bar.</summary>
/// <param name="Series">Its look.</param>
/// <param name="Value">Its height.</param>
/// <param name="Least">The lower end of its whisker.</param>
/// <param name="Greatest">The upper end of its whisker; no whisker where it equals the lower.</param>
/// <param name="Label">What is written above it.</param>
internal sealed record Bar(Series Series, double Value, double Least, double Greatest, string Label)
{
    /// <summary>Where it begins, on the bar before it; null for a bar of its own, from 0.</summary>
    public double? Bottom { get; init; }

    /// <summary>A bar as high as the median, its whisker from the least to the greatest.</summary>
    public static Bar Of(Series series, Spread spread, string label) =>
        new(series, spread.Median, spread.Least, spread.Greatest, label);
}
