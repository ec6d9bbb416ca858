using System.Globalization;
using System.Xml.Linq;
using Faster.Ycsb.Plotting;

namespace Faster.Ycsb.Tests.Plotting;

public class SvgPlotTests
{
    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";
    private static readonly Series First = new("first & <foremost>", 0);
    private static readonly Series Second = new("second", 1, IsDashed: true);

    [Fact]
    public void Lines_are_drawn_to_scale_with_bands_and_a_legend()
    {
        Line rising = new(First, [(0, 0), (5, 2), (10, 4)]);
        Line level = new(Second, [(0, 4), (10, 4)]);
        var panel = new LinePanel("p", "seconds", "M/s", [rising, level], [new Band(First, 2, 3)]);
        XElement svg = Draw(new Figure("title", 1, [panel]));

        (double X, double Y)[] points = [.. PointsOf(Single(svg, "polyline", "line c0"))];
        Assert.Equal(3, points.Length);
        Assert.Equal(points[2].X - points[1].X, points[1].X - points[0].X, 0.02);
        Assert.Equal(points[1].Y - points[2].Y, points[0].Y - points[1].Y, 0.02);
        Assert.True(points[0].Y > points[2].Y, "A higher value must stand higher on the page.");
        XElement levelLine = Single(Single(svg, "g", "panel"), "polyline", "line c1 dashed");
        Assert.All(PointsOf(levelLine), p => Assert.Equal(points[2].Y, p.Y, 0.02));

        XElement band = Single(svg, "rect", "band c0");
        Assert.Equal((points[2].X - points[0].X) / 10, Number(band, "width"), 0.02);
        Assert.Contains(First.Name, Texts(svg));
        Assert.Contains(Second.Name, Texts(svg));
        Assert.Contains("10", Texts(svg));
    }

    [Fact]
    public void Bars_are_as_high_as_their_values_and_carry_labels_and_whiskers()
    {
        Bar low = new(First, 1, 1, 1, "one");
        Bar high = new(Second, 2, 1.5, 2.5, "two");
        var panel = new BarPanel("p", "x", "y", [new BarGroup("group", [low, high])]);
        XElement svg = Draw(new Figure("title", 1, [panel]));

        double height = Number(Single(svg, "rect", "bar c0"), "height");
        Assert.Equal(2 * height, Number(Single(svg, "rect", "bar c1"), "height"), 0.02);
        XElement whisker = Single(svg, "line", "whisker");
        Assert.Equal(height, Number(whisker, "y1") - Number(whisker, "y2"), 0.02);
        Assert.Empty(new[] { "one", "two", "group" }.Except(Texts(svg)));
    }

    [Fact]
    public void Marks_stay_on_the_page_whatever_the_number_of_panels()
    {
        Panel[] panels = [.. Enumerable.Range(0, 7).Select(i => new BarPanel(
            $"panel {i}", "x", "y", [new BarGroup("g", [new Bar(First, i, i, i, $"{i}")])]))];
        XElement svg = Draw(new Figure("title", 3, panels));

        Assert.Equal(7, All(svg, "g", "panel").Count());
        (double width, double height) = (Number(svg, "width"), Number(svg, "height"));
        Assert.All(svg.Descendants(Svg + "rect"), rect =>
        {
            Assert.InRange(Number(rect, "x") + Number(rect, "width"), 0, width);
            Assert.InRange(Number(rect, "y") + Number(rect, "height"), 0, height);
        });
        Assert.All(svg.Descendants(Svg + "text"), text => Assert.InRange(Number(text, "y"), 0, height));
    }

    [Fact]
    public void A_picture_suits_dark_pages_and_needs_nothing_from_elsewhere()
    {
        string text = SvgPlot.Draw(new Figure("title", 1, []));
        Assert.Contains("prefers-color-scheme:dark", text, StringComparison.Ordinal);
        Assert.DoesNotContain("href", text, StringComparison.Ordinal);
        Assert.DoesNotContain("url(", text, StringComparison.Ordinal);
        Assert.DoesNotContain("@import", text, StringComparison.Ordinal);
        Assert.Equal("title", XElement.Parse(text).Element(Svg + "title")?.Value);
    }

    private static XElement Draw(Figure figure) => XElement.Parse(SvgPlot.Draw(figure));

    private static IEnumerable<XElement> All(XElement svg, string name, string style) =>
        svg.Descendants(Svg + name).Where(e => e.Attribute("class")?.Value == style);

    private static XElement Single(XElement svg, string name, string style) => Assert.Single(All(svg, name, style));

    private static IEnumerable<string> Texts(XElement svg) => svg.Descendants(Svg + "text").Select(t => t.Value);

    private static double Number(XElement element, string name) =>
        double.Parse(element.Attribute(name)!.Value, CultureInfo.InvariantCulture);

    private static IEnumerable<(double X, double Y)> PointsOf(XElement polyline) =>
        polyline.Attribute("points")!.Value.Split(' ').Select(pair => pair.Split(',')).Select(
            pair => (double.Parse(pair[0], CultureInfo.InvariantCulture),
                double.Parse(pair[1], CultureInfo.InvariantCulture)));
}
