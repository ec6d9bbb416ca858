using System.Globalization;
using Bank.Transfers;
using Faster;

namespace Bank.Lives;

/// <summary>One line of what a life says: a word and numbers.</summary>
/// <param name="Word">What the numbers are.</param>
/// <param name="Numbers">The numbers.</param>
internal readonly record struct LifeLine(string Word, long[] Numbers)
{
    /// <summary>The word of a commit: how long it took, and the points of the opening and of all tellers.</summary>
    public const string CommitWord = "commit";

    /// <summary>The word of what has returned: the last number of each teller.</summary>
    public const string AtWord = "at";

    private const string End = "."; // a line that a kill has cut off lacks it

    /// <summary>The line of a commit.</summary>
    public static LifeLine Committed(Commit commit, int tellers) =>
        new(CommitWord, [(long)commit.Elapsed.TotalMilliseconds, .. PointsOf(commit.Points, tellers)]);

    /// <summary>The line of what has returned.</summary>
    public static LifeLine At(Teller[] tellers) =>
        new(AtWord, [.. tellers.Select(static teller => teller.Acknowledged)]);

    /// <summary>The points of the opening and of all tellers; 0 for one that has none.</summary>
    public static long[] PointsOf(IEnumerable<CommitPoint> points, int tellers)
    {
        Dictionary<string, long> byName = points
            .Where(static point => point.SessionName is not null)
            .ToDictionary(static point => point.SessionName!, static point => point.SerialNumber);
        return [byName.GetValueOrDefault(Life.OpeningSession),
            .. Enumerable.Range(0, tellers).Select(teller => byName.GetValueOrDefault(Teller.NameOf(teller)))];
    }

    /// <summary>Reads a line.</summary>
    /// <returns>Null where it was cut off, or is none.</returns>
    public static LifeLine? Parse(string text, int tellers)
    {
        string[] parts = text.Split(' ');
        int expected = parts[0] switch { CommitWord => tellers + 2, AtWord => tellers, _ => -1 };
        if (parts.Length != expected + 2 || parts[^1] != End) return null;
        return new LifeLine(
            parts[0], [.. parts[1..^1].Select(static part => long.Parse(part, CultureInfo.InvariantCulture))]);
    }

    /// <summary>Writes the line as a whole. Thread-safe if the writer is.</summary>
    public void Write(TextWriter writer)
    {
        string numbers = string.Join(' ', Numbers.Select(static n => n.ToString(CultureInfo.InvariantCulture)));
        writer.WriteLine($"{Word} {numbers} {End}");
        writer.Flush();
    }
}
