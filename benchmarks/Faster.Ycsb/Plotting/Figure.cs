namespace Faster.Ycsb.Plotting;

/// <summary>A picture: panels in rows under one title and one legend.</summary>
/// <param name="Title">What it shows.</param>
/// <param name="Columns">How many panels stand in a row.</param>
/// <param name="Panels">The panels, row by row.</param>
internal sealed record Figure(string Title, int Columns, IReadOnlyList<Panel> Panels)
{
    /// <summary>The width of a panel that stands alone.</summary>
    public const double WidePanel = 760;

    /// <summary>The width of each panel, in pixels.</summary>
    public double PanelWidth { get; init; } = 400;

    /// <summary>What the legend explains: the series of all panels, each once.</summary>
    public IReadOnlyList<Series> Legend => [.. Panels.SelectMany(p => p.Series).Distinct().OrderBy(s => s.Colour)];
}
