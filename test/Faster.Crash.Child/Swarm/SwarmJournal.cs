using System.Globalization;

namespace Faster.Crash.Swarm;

/// <summary>
/// A history as lines, each written before its event happens: what a killed process leaves for the next one.
/// </summary>
internal static class SwarmJournal
{
    /// <summary>The store began empty.</summary>
    public const string Reset = "reset|.";

    private const string ClientLine = "client", ForgetLine = "forget", OperationLine = "operation", ToldLine = "told",
        RecoveredLine = "recovered", TimeLine = "time", AcknowledgedLine = "acknowledged";

    private const string NoName = "-", End = ".";
    private const long AllOfIt = -1;

    /// <summary>A new session.</summary>
    public static string Client(string? name) => Line(ClientLine, name ?? NoName);

    /// <summary>A session is forgotten.</summary>
    public static string Forget(SwarmClient client) => Line(ForgetLine, client.Id);

    /// <summary>An operation is issued.</summary>
    public static string Operation(SwarmOperation o) => Line(
        OperationLine, o.Client.Id, o.Serial, (int)o.Act, o.Key, o.Seed, o.Length, o.Time, o.TimeToLive);

    /// <summary>An operation is acknowledged, or all of a session.</summary>
    public static string Acknowledged(SwarmClient client, long? serial) =>
        Line(AcknowledgedLine, client.Id, serial ?? AllOfIt);

    /// <summary>A commit was acknowledged.</summary>
    public static string Told(long version, IReadOnlyList<CommitPoint> points, long covers) =>
        Line(ToldLine, version, covers, Text(points));

    /// <summary>A commit was recovered.</summary>
    public static string Recovered(SwarmTold told, long cut) =>
        Line(RecoveredLine, told.Version, cut, Text(told.Points.Values));

    /// <summary>The clock was moved.</summary>
    public static string Time(long milliseconds) => Line(TimeLine, milliseconds);

    /// <summary>Builds a history from lines.</summary>
    /// <param name="lines">The lines; some may be cut off.</param>
    /// <param name="setTime">Called with each time of the clock.</param>
    /// <param name="isEachDurable">Whether each operation is durable when it is acknowledged.</param>
    public static SwarmHistory Read(IEnumerable<string> lines, Action<long> setTime, bool isEachDurable = false)
    {
        var history = new SwarmHistory { IsEachDurable = isEachDurable };
        foreach (string line in lines)
        {
            string[] words = line.Split('|');
            if (words[^1] != End) continue; // a process died while it wrote this line, so it had not done this yet
            switch (words[0])
            {
                case ClientLine:
                    history.Begin(words[1] == NoName ? null : words[1]);
                    break;
                case ForgetLine:
                    history.Forget(history.Find((int)Number(words[1])));
                    break;
                case OperationLine:
                    history.Issue(new SwarmOperation(
                        0, history.Find((int)Number(words[1])), Number(words[2]), (SwarmAct)Number(words[3]),
                        (int)Number(words[4]), (uint)Number(words[5]), (int)Number(words[6]), Number(words[7]),
                        Number(words[8])));
                    break;
                case AcknowledgedLine:
                    long serial = Number(words[2]);
                    history.Acknowledge(history.Find((int)Number(words[1])), serial == AllOfIt ? null : serial);
                    break;
                case ToldLine:
                    history.Tell(Number(words[1]), Points(words[3], Number(words[1])), Number(words[2]));
                    break;
                case RecoveredLine:
                    SwarmTold told = history.Recovered(Number(words[1]), Points(words[3], Number(words[1])));
                    history.Recover(told, Number(words[2]));
                    break;
                case TimeLine:
                    setTime(Number(words[1]));
                    break;
                default:
                    history.Reset();
                    break;
            }
        }

        return history;
    }

    private static string Line(params object[] words) =>
        string.Join('|', words.Select(word => Convert.ToString(word, CultureInfo.InvariantCulture))) + "|" + End;

    private static string Text(IEnumerable<CommitPoint> points) => string.Join(';', points
        .Where(static point => point.SessionName is not null)
        .Select(static point => string.Create(
            CultureInfo.InvariantCulture,
            $"{point.SessionName}:{point.SerialNumber}:{string.Join(',', point.Excluded)}")));

    private static CommitPoint[] Points(string text, long version) =>
    [
        .. text.Split(';', StringSplitOptions.RemoveEmptyEntries).Select(one => one.Split(':')).Select(words =>
            new CommitPoint(words[0], Number(words[1]), version)
            {
                Excluded = [.. words[2].Split(',', StringSplitOptions.RemoveEmptyEntries).Select(Number)],
            }),
    ];

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
