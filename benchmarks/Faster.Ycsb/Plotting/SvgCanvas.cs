using System.Globalization;
using System.Text;
using System.Xml;

namespace Faster.Ycsb.Plotting;

/// <summary>
/// Writes the elements of a picture as SVG: well-formed, with a style sheet of its own and nothing from elsewhere.
/// </summary>
internal sealed class SvgCanvas : IDisposable
{
    private const string Namespace = "http://www.w3.org/2000/svg";

    private readonly StringBuilder _text = new();
    private readonly XmlWriter _writer;

    /// <summary>Begins a picture of a size, in pixels.</summary>
    public SvgCanvas(double width, double height, string title)
    {
        _writer = XmlWriter.Create(
            _text, new XmlWriterSettings { Indent = true, OmitXmlDeclaration = true, NewLineChars = "\n" });
        _writer.WriteStartElement("svg", Namespace);
        Attributes(("viewBox", $"0 0 {Number(width)} {Number(height)}"), ("width", Number(width)));
        Attributes(("height", Number(height)), ("role", "img"));
        _writer.WriteElementString("title", Namespace, title);
        _writer.WriteElementString("style", Namespace, Palette.Css());
        Rectangle("paper", 0, 0, width, height);
    }

    /// <summary>Ends the picture, and gives it.</summary>
    public string Finish()
    {
        _writer.WriteEndElement();
        _writer.Flush();
        return _text.Append('\n').ToString();
    }

    /// <summary>Begins elements that belong together.</summary>
    public void BeginGroup(string style)
    {
        _writer.WriteStartElement("g", Namespace);
        Attributes(("class", style));
    }

    /// <summary>Ends them.</summary>
    public void EndGroup() => _writer.WriteEndElement();

    /// <summary>A filled rectangle.</summary>
    public void Rectangle(string style, double x, double y, double width, double height) => Element(
        "rect", ("class", style), ("x", Number(x)), ("y", Number(y)), ("width", Number(width)),
        ("height", Number(height)));

    /// <summary>A straight line.</summary>
    public void Line(string style, double x1, double y1, double x2, double y2) => Element(
        "line", ("class", style), ("x1", Number(x1)), ("y1", Number(y1)), ("x2", Number(x2)), ("y2", Number(y2)));

    /// <summary>A line through points.</summary>
    public void Polyline(string style, IEnumerable<(double X, double Y)> points) => Element(
        "polyline", ("class", style), ("points", string.Join(' ', points.Select(p => $"{Number(p.X)},{Number(p.Y)}"))));

    /// <summary>Text at a place; <paramref name="anchor"/> is start, middle or end.</summary>
    public void Text(
        string text, double x, double y, string anchor = "start", string? style = null, bool upwards = false)
    {
        _writer.WriteStartElement("text", Namespace);
        Attributes(("x", Number(x)), ("y", Number(y)), ("text-anchor", anchor));
        if (style is not null)
            Attributes(("class", style));
        if (upwards)
            Attributes(("transform", $"rotate(-90 {Number(x)} {Number(y)})"));
        _writer.WriteString(text);
        _writer.WriteEndElement();
    }

    /// <inheritdoc/>
    public void Dispose() => _writer.Dispose();

    private static string Number(double value) => value.ToString("0.##", CultureInfo.InvariantCulture);

    private void Element(string name, params ReadOnlySpan<(string Name, string Value)> attributes)
    {
        _writer.WriteStartElement(name, Namespace);
        Attributes(attributes);
        _writer.WriteEndElement();
    }

    private void Attributes(params ReadOnlySpan<(string Name, string Value)> attributes)
    {
        foreach ((string name, string value) in attributes)
            _writer.WriteAttributeString(name, value);
    }
}
