using System.Globalization;

namespace Faster.Crash.Workloads;

/// <summary>Up to which operation, and without which ones, a session is reported as durable.</summary>
/// <param name="Serial">The serial number.</param>
/// <param name="Excluded">The excluded numbers below it; only in relaxed order.</param>
public sealed record SessionPoint(long Serial, IReadOnlyList<long> Excluded)
{
    /// <summary>Nothing of the session.</summary>
    public static readonly SessionPoint None = new(0, []);

    /// <summary>The point of a session as a store reports it.</summary>
    public static SessionPoint Of(CommitPoint point) => new(point.SerialNumber, point.Excluded);

    /// <summary>The points of a plan's sessions among those of a commit.</summary>
    public static SessionPoint[] AllOf(IEnumerable<CommitPoint> points, int sessions)
    {
        var all = new SessionPoint[sessions];
        Array.Fill(all, None);
        foreach (CommitPoint point in points)
        {
            for (int s = 0; s < sessions; s++)
            {
                if (point.SessionName == WorkloadPlan.NameOf(s)) all[s] = Of(point);
            }
        }

        return all;
    }

    /// <summary>Writes points on one line.</summary>
    public static string Format(IEnumerable<SessionPoint> points) => string.Join(' ', points);

    /// <summary>Reads what <see cref="Format"/> wrote.</summary>
    public static SessionPoint[] Parse(string text) => [.. text.Split(' ').Select(ParseOne)];

    /// <summary>Whether a step is durable by this point.</summary>
    public bool Covers(long number) => number <= Serial && !Excluded.Contains(number);

    /// <summary>Whether everything that another point covers is covered by this one.</summary>
    public bool Includes(SessionPoint other) =>
        Serial >= other.Serial && Excluded.All(number => number > other.Serial || other.Excluded.Contains(number));

    /// <summary>Whether both cover the same.</summary>
    public bool Equals(SessionPoint? other) =>
        other is not null && Serial == other.Serial && Excluded.SequenceEqual(other.Excluded);

    /// <inheritdoc/>
    public override int GetHashCode() => Serial.GetHashCode();

    /// <inheritdoc/>
    public override string ToString() =>
        Serial.ToString(CultureInfo.InvariantCulture)
        + string.Concat(Excluded.Select(n => "-" + n.ToString(CultureInfo.InvariantCulture)));

    private static SessionPoint ParseOne(string text)
    {
        long[] numbers = [.. text.Split('-').Select(n => long.Parse(n, CultureInfo.InvariantCulture))];
        return new SessionPoint(numbers[0], numbers[1..]);
    }
}
