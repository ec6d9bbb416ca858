using System.Globalization;
using System.Text;
using Bank.Lives;

namespace Bank.Report;

/// <summary>Draws the throughput over the time of all lives, with the commits and kills below it.</summary>
internal static class ThroughputPicture
{
    private const int MostColumns = 100, LeastWidth = 50; // of a column in milliseconds
    private const string Heights = " ▁▂▃▄▅▆▇█";

    /// <summary>Draws; nothing if there is nothing to draw.</summary>
    public static string Of(Notes notes)
    {
        if (notes.Samples.Count == 0) return "";
        long end = Math.Max(notes.Samples[^1].To, notes.Kills.LastOrDefault()) + 1;
        long width = Math.Max(LeastWidth, (end + MostColumns - 1) / MostColumns);
        int columns = (int)((end + width - 1) / width);
        double[] transfers = Spread(notes.Samples, width, columns);
        double most = Math.Max(transfers.Max(), 1);
        char[] marks = [.. Enumerable.Repeat(' ', columns)];
        foreach ((long from, long to) in notes.Commits)
        {
            for (long at = from / width; at <= to / width && at < columns; at++) marks[at] = '=';
        }

        foreach (long kill in notes.Kills) marks[kill / width] = 'x';
        StringBuilder text = new();
        text.Append(CultureInfo.InvariantCulture, $"Transfers a second, up to {most * 1000 / width:N0}; ");
        text.Append(CultureInfo.InvariantCulture, $"a column is {width} ms, = a commit, x a kill:\n");
        foreach (double sum in transfers) text.Append(Heights[(int)Math.Ceiling(sum / most * (Heights.Length - 1))]);
        return text.Append('\n').Append(marks).Append('\n').ToString();
    }

    // A sample counts in each column as far as it reaches into it.
    private static double[] Spread(List<(long From, long To, long Transfers)> samples, long width, int columns)
    {
        var sums = new double[columns];
        foreach ((long from, long to, long transfers) in samples)
        {
            for (long at = from / width; at <= to / width && at < columns; at++)
            {
                long shared = Math.Min(to, (at + 1) * width) - Math.Max(from, at * width);
                sums[at] += (double)transfers * shared / Math.Max(to - from, 1);
            }
        }

        return sums;
    }
}
