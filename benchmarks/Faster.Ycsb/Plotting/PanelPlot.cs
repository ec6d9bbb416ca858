namespace Faster.Ycsb.Plotting;

/// <summary>Draws one panel: axes with round marks, and lines or bars between them.</summary>
internal static class PanelPlot
{
    private const double LeftMargin = 56, RightMargin = 18, TopMargin = 30, BottomMargin = 46;
    private const int MaxYSteps = 5, MaxXSteps = 8;
    private const double GroupGap = 0.25; // of a group's width
    private const double LabelRoom = 1.08; // of the highest value, above bars

    /// <summary>Draws a panel into a rectangle of the page.</summary>
    public static void Draw(SvgCanvas canvas, Panel panel, double x, double y, double width, double height)
    {
        var yTicks = new Ticks(panel is BarPanel ? panel.Highest * LabelRoom : panel.Highest, MaxYSteps);
        var frame = new Frame(
            x + LeftMargin, y + TopMargin, width - LeftMargin - RightMargin, height - TopMargin - BottomMargin,
            yTicks.End);
        canvas.BeginGroup("panel");
        canvas.Text(panel.Title, frame.Left, y + 16, style: "panel-title");
        DrawYAxis(canvas, panel, frame, yTicks, x);
        canvas.Text(panel.XTitle, frame.Left + (frame.Width / 2), frame.Bottom + 36, "middle");
        if (panel is LinePanel lines)
            DrawLines(canvas, lines, frame);
        else
            DrawBars(canvas, (BarPanel)panel, frame);
        canvas.Line("axis", frame.Left, frame.Bottom, frame.Right, frame.Bottom);
        canvas.EndGroup();
    }

    /// <summary>The classes of a series's lines.</summary>
    public static string LineClass(Series series) =>
        $"line {Palette.ClassOf(series.Colour)}{(series.IsDashed ? " dashed" : "")}";

    private static void DrawYAxis(SvgCanvas canvas, Panel panel, Frame frame, Ticks ticks, double x)
    {
        foreach (double tick in ticks.Values)
        {
            double y = frame.Y(tick);
            if (tick != 0)
                canvas.Line("grid", frame.Left, y, frame.Right, y);
            canvas.Text(ticks.Label(tick), frame.Left - 6, y + 4, "end", "tick");
        }

        canvas.Text(panel.YTitle, x + 12, frame.Top + (frame.Height / 2), "middle", upwards: true);
    }

    private static void DrawLines(SvgCanvas canvas, LinePanel panel, Frame frame)
    {
        var ticks = new Ticks(panel.Rightmost, MaxXSteps);
        double X(double value) => frame.Left + (frame.Width * Math.Clamp(value / ticks.End, 0, 1));
        foreach (double tick in ticks.Values)
        {
            canvas.Line("axis", X(tick), frame.Bottom, X(tick), frame.Bottom + 4);
            canvas.Text(ticks.Label(tick), X(tick), frame.Bottom + 18, "middle", "tick");
        }

        foreach (Band band in panel.Bands)
        {
            canvas.Line("moment", X(band.From), frame.Top, X(band.From), frame.Bottom);
            canvas.Rectangle(
                $"band {Palette.ClassOf(band.Series.Colour)}", X(band.From), frame.Top, X(band.To) - X(band.From),
                frame.Height);
        }

        foreach (Line line in panel.Lines)
            canvas.Polyline(LineClass(line.Series), line.Points.Select(p => (X(p.X), frame.Y(p.Y))));
    }

    private static void DrawBars(SvgCanvas canvas, BarPanel panel, Frame frame)
    {
        double groupWidth = frame.Width / Math.Max(1, panel.Groups.Count);
        for (int g = 0; g < panel.Groups.Count; g++)
        {
            BarGroup group = panel.Groups[g];
            double left = frame.Left + (g * groupWidth);
            canvas.Text(group.Name, left + (groupWidth / 2), frame.Bottom + 18, "middle", "tick");
            int columns = Math.Max(1, group.Bars.Count(bar => bar.Bottom is null));
            double barWidth = groupWidth * (1 - GroupGap) / columns;
            double x = left + (groupWidth * GroupGap / 2);
            for (int b = 0; b < group.Bars.Count; b++)
            {
                if (b > 0 && group.Bars[b].Bottom is null) x += barWidth;
                DrawBar(canvas, group.Bars[b], x, barWidth, frame);
            }
        }
    }

    private static void DrawBar(SvgCanvas canvas, Bar bar, double left, double width, Frame frame)
    {
        double top = frame.Y(bar.Value);
        double middle = left + (width / 2);
        double bottom = frame.Y(bar.Bottom ?? 0);
        canvas.Rectangle($"bar {Palette.ClassOf(bar.Series.Colour)}", left, top, width * 0.94, bottom - top);
        if (bar.Least != bar.Greatest)
            canvas.Line("whisker", middle, frame.Y(bar.Least), middle, frame.Y(bar.Greatest));
        if (bar.Label.Length > 0)
            canvas.Text(bar.Label, middle, Math.Min(top, frame.Y(bar.Greatest)) - 4, "middle", "label");
    }
}
