using System.Globalization;

namespace Faster.Crash.Ledgers;

/// <summary>
/// What was reported to the writer and the subscribers of a ledger, and what they requested: one note, one line.
/// </summary>
public sealed class LedgerNotes
{
    private readonly List<(long After, int Life)> _lives = [];
    private readonly List<(long After, long Time)> _times = []; // in Unix milliseconds
    private readonly Dictionary<long, bool> _imports = []; // by first key: whether a commit covers all of it

    private LedgerNotes()
    {
    }

    /// <summary>The highest operation of an acknowledged commit.</summary>
    public long Committed { get; private set; }

    /// <summary>The highest begin of the log in an acknowledged commit.</summary>
    public long Begin { get; private set; }

    /// <summary>Up to which operation a truncation was requested.</summary>
    public long GivenUp { get; private set; }

    /// <summary>The last operation that a subscriber has seen as committed.</summary>
    public long Seen { get; private set; }

    /// <summary>Where that subscriber would resume.</summary>
    public long ResumeAt { get; private set; }

    /// <summary>The latest time to which the clock was set, in Unix milliseconds.</summary>
    public long LatestTime => _times.Count == 0 ? 0 : _times.Max(static time => time.Time);

    /// <summary>The imports that were begun, and whether they were committed.</summary>
    public IReadOnlyDictionary<long, bool> Imports => _imports;

    /// <summary>A life has begun after an operation.</summary>
    public static string LifeOf(int life, long after) => Line("life", life, after);

    /// <summary>The clock is set after an operation.</summary>
    public static string ClockOf(long milliseconds, long after) => Line("clock", milliseconds, after);

    /// <summary>A commit was acknowledged.</summary>
    public static string CommitOf(long serial, long begin) => Line("committed", serial, begin);

    /// <summary>A truncation up to an operation begins.</summary>
    public static string TruncationOf(long serial) => Line("gives", serial, 0);

    /// <summary>A subscriber has seen an operation.</summary>
    public static string SightOf(long serial, long resumeAt) => Line("seen", serial, resumeAt);

    /// <summary>An import begins, or is committed.</summary>
    public static string ImportOf(long firstKey, bool isCommitted) => Line("import", firstKey, isCommitted ? 1 : 0);

    /// <summary>Reads notes; other lines are skipped.</summary>
    public static LedgerNotes Parse(IEnumerable<string> lines)
    {
        var notes = new LedgerNotes();
        foreach (string line in lines) notes.Take(line.Split(' '));
        return notes;
    }

    /// <summary>The life in which a key was written last.</summary>
    public int LifeOf(long key) => _lives.LastOrDefault(life => life.After < key).Life;

    /// <summary>At which time an operation was done, in Unix milliseconds.</summary>
    public long TimeOf(long serial) => _times.LastOrDefault(time => time.After < serial).Time;

    private static string Line(string what, long first, long second) =>
        string.Create(CultureInfo.InvariantCulture, $"{what} {first} {second}");

    private void Take(string[] words)
    {
        if (words.Length != 3) return;
        long first = long.Parse(words[1], CultureInfo.InvariantCulture);
        long second = long.Parse(words[2], CultureInfo.InvariantCulture);
        switch (words[0])
        {
            case "life":
                _lives.Add((second, (int)first));
                break;
            case "clock":
                _times.Add((second, first));
                break;
            case "committed":
                (Committed, Begin) = (Math.Max(Committed, first), Math.Max(Begin, second));
                break;
            case "gives":
                GivenUp = Math.Max(GivenUp, first);
                break;
            case "seen":
                (Seen, ResumeAt) = (Math.Max(Seen, first), Math.Max(ResumeAt, second));
                break;
            case "import":
                _imports[first] = second != 0;
                break;
        }
    }
}
