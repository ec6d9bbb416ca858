using System.Text;

namespace Faster.Ycsb.Reports;

/// <summary>A table as Markdown, its first columns names and the others figures, aligned to the right.</summary>
internal sealed class MarkdownTable
{
    private const int MinWidth = 2; // of "-:"

    private readonly List<string[]> _rows = [];
    private readonly int _names;

    /// <summary>Begins a table.</summary>
    /// <param name="names">How many columns are names.</param>
    /// <param name="header">The columns' headings.</param>
    public MarkdownTable(int names, params string[] header)
    {
        _names = names;
        _rows.Add(header);
    }

    /// <summary>Adds a row, with a cell for each column.</summary>
    public void Add(params string[] cells) => _rows.Add(cells);

    /// <inheritdoc/>
    public override string ToString()
    {
        int[] widths = [.. Enumerable.Range(0, _rows[0].Length).Select(
            c => Math.Max(MinWidth, _rows.Max(row => row[c].Length)))];
        var text = new StringBuilder();
        Append(text, _rows[0], widths);
        Append(text, [.. widths.Select((w, c) => IsName(c) ? Dashes(w) : Dashes(w - 1) + ':')], widths);
        foreach (string[] row in _rows.Skip(1))
            Append(text, row, widths);
        return text.ToString();
    }

    private static string Dashes(int count) => new('-', count);

    private bool IsName(int column) => column < _names;

    private void Append(StringBuilder text, string[] cells, int[] widths)
    {
        for (int c = 0; c < cells.Length; c++)
        {
            string cell = IsName(c) ? cells[c].PadRight(widths[c]) : cells[c].PadLeft(widths[c]);
            text.Append("| ").Append(cell).Append(' ');
        }

        text.Append("|\n");
    }
}
