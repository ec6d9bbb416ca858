namespace Faster.Ycsb.Plotting;

/// <summary>Draws a figure as SVG.</summary>
internal static class SvgPlot
{
    private const double PanelHeight = 250, Margin = 16;
    private const double HeaderHeight = 34, LegendLineHeight = 20, LegendKey = 22, LegendGap = 18;
    private const double LetterWidth = 6.6; // of 12-pixel text, on average
    private const double TitleLetterWidth = 8.8;

    /// <summary>Draws a figure.</summary>
    public static string Draw(Figure figure)
    {
        int columns = Math.Clamp(figure.Columns, 1, Math.Max(1, figure.Panels.Count));
        int rows = (figure.Panels.Count + columns - 1) / columns;
        double width = Math.Max(columns * figure.PanelWidth, Math.Ceiling(figure.Title.Length * TitleLetterWidth))
            + (2 * Margin);
        List<(Series Series, double X, int Line)> legend = LayOutLegend(figure.Legend, width);
        double top = HeaderHeight + ((legend.Count == 0 ? 0 : legend[^1].Line + 1) * LegendLineHeight) + Margin;
        using var canvas = new SvgCanvas(width, top + (rows * PanelHeight) + Margin, figure.Title);
        canvas.Text(figure.Title, Margin, 24, style: "title");
        foreach ((Series series, double x, int line) in legend)
            DrawKey(canvas, series, x, HeaderHeight + (line * LegendLineHeight));
        for (int i = 0; i < figure.Panels.Count; i++)
        {
            double x = Margin + (i % columns * figure.PanelWidth);
            double y = top + (i / columns * PanelHeight);
            PanelPlot.Draw(canvas, figure.Panels[i], x, y, figure.PanelWidth, PanelHeight);
        }

        return canvas.Finish();
    }

    private static List<(Series Series, double X, int Line)> LayOutLegend(IReadOnlyList<Series> legend, double width)
    {
        var places = new List<(Series, double, int)>();
        double x = Margin;
        int line = 0;
        foreach (Series series in legend)
        {
            double length = LegendKey + 6 + (series.Name.Length * LetterWidth);
            if (x > Margin && x + length > width - Margin)
            {
                x = Margin;
                line++;
            }

            places.Add((series, x, line));
            x += length + LegendGap;
        }

        return places;
    }

    private static void DrawKey(SvgCanvas canvas, Series series, double x, double y)
    {
        if (series.IsDashed)
            canvas.Polyline(PanelPlot.LineClass(series), [(x, y + 8), (x + LegendKey, y + 8)]);
        else
            canvas.Rectangle($"key {Palette.ClassOf(series.Colour)}", x, y + 4, LegendKey, 8);
        canvas.Text(series.Name, x + LegendKey + 6, y + 12);
    }
}
