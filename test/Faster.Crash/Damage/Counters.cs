using System.Text;

namespace Faster.Crash.Damage;

/// <summary>Counts the verdicts on damages, for each sort of file.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class Counters
{
    private readonly SortedDictionary<string, int[]> _counts = new(StringComparer.Ordinal);
    private readonly List<string> _wrong = [];

    /// <summary>What was wrong.</summary>
    public IReadOnlyList<string> Wrong => _wrong;

    /// <summary>How many damages were tried.</summary>
    public int Count => _counts.Values.Sum(c => c.Sum());

    /// <summary>The sorts of files that were damaged.</summary>
    public IReadOnlyCollection<string> Sorts => _counts.Keys;

    /// <summary>How often damages of a sort of file had a verdict.</summary>
    public int Of(string sort, Verdict verdict) => _counts[sort][(int)verdict];

    /// <summary>
    /// Fails if more damages of a sort of file are without effect than was recorded: an opening does not read what was
    /// damaged, or the damage does not reach the file.
    /// </summary>
    /// <param name="most">The recorded share, with a margin, by sort of file.</param>
    public void AssertHarmless(IReadOnlyDictionary<string, double> most)
    {
        foreach (string sort in Sorts)
        {
            double share = (double)Of(sort, Verdict.Harmless) / _counts[sort].Sum();
            Assert.True(
                share <= most[sort], $"{share:0.00} of the damages to {sort} had no effect, not {most[sort]:0.00}.");
        }
    }

    /// <summary>Counts one damage. Thread-safe.</summary>
    public void Add(string file, Verdict verdict, string? wrong)
    {
        lock (_counts)
        {
            string sort = file.StartsWith("store", StringComparison.Ordinal) ? file : file.Split('.')[0] + ".*";
            if (!_counts.TryGetValue(sort, out int[]? counts)) _counts[sort] = counts = new int[4];
            counts[(int)verdict]++;
            if (wrong is not null) _wrong.Add(wrong);
        }
    }

    public override string ToString()
    {
        var text = new StringBuilder();
        foreach ((string sort, int[] counts) in _counts)
        {
            text.Append(sort).Append(": ").AppendJoin(
                ", ", Enum.GetValues<Verdict>().Select(v => $"{counts[(int)v]} {v.ToString().ToLowerInvariant()}"))
                .Append('\n');
        }

        return text.ToString();
    }
}
