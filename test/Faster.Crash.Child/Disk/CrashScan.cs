using System.Globalization;

namespace Faster.Crash.Disk;

/// <summary>
/// The crashes of a recorded run: at each boundary, which is an event that can be lost, states by seed.
/// </summary>
/// <remarks>
/// Goes through the events once. Each boundary gets a state before any gets a second one; further states are spread
/// evenly. A state that was seen before is omitted unless something was acknowledged in between, so the states counted
/// are distinct. Not thread-safe.
/// </remarks>
/// <param name="run">The recorded run.</param>
/// <param name="firstSeed">The first seed.</param>
/// <param name="seeds">How many seeds each boundary has.</param>
/// <param name="most">About the largest number of states; all states of every boundary by default.</param>
internal sealed class CrashScan(CrashDisk run, int firstSeed, int seeds, long most = long.MaxValue)
{
    private const int MoreTries = 3; // to find a state that was not seen before

    private readonly long _states = Math.Min(most, (long)seeds * BoundariesOf(run));

    /// <summary>How many boundaries the run has.</summary>
    public int Boundaries { get; } = BoundariesOf(run);

    /// <summary>
    /// At how many of them the power was cut: the state that it left was returned, or equals one returned before.
    /// </summary>
    public int Covered { get; private set; }

    /// <summary>How many states were omitted because they had been seen.</summary>
    public long Repeated { get; private set; }

    /// <summary>How many boundaries a run has: its begin, and each event that changes what a crash can leave.</summary>
    public static int BoundariesOf(CrashDisk run) => 1 + run.Events.Count(static e => e.Changes);

    /// <summary>All states, in order of the run.</summary>
    public IEnumerable<CrashPoint> All() => All(0, int.MaxValue);

    /// <summary>The states of crashes after some of the events.</summary>
    /// <param name="from">The number of events before the first crash.</param>
    /// <param name="to">The number of events before the end of the range, exclusive.</param>
    public IEnumerable<CrashPoint> All(int from, int to)
    {
        var model = new DurableModel(run.Initial);
        string[] notes = [];
        HashSet<(ulong, int)> seen = [];
        bool changed = true;
        int boundary = 0;
        for (int i = 0; i <= run.Events.Count && i < to; i++)
        {
            int share = changed ? ShareOf(boundary++) : 0;
            if (share > 0) Covered++;
            int tries = share == 0 || i < from ? 0 : model.IsUncertain ? Math.Min(share + MoreTries, seeds) : 1;
            int start = share < seeds ? (int)(DiskImage.Mix((ulong)i) % (uint)seeds) : 0;
            for (int t = 0; t < tries && share > 0; t++)
            {
                int seed = firstSeed + ((start + t) % seeds);
                DiskImage image = model.Choose(new CrashChoice(seed));
                if (!seen.Add((image.Fingerprint(), notes.Length)))
                {
                    Repeated++;
                    continue;
                }

                share--;
                yield return new CrashPoint(i, seed, new CrashDisk(image), notes);
            }

            if (i == run.Events.Count) break;
            DiskEvent e = run.Events[i];
            changed = e.Changes;
            model.Advance(e);
            if (e.Kind == DiskEventKind.Mark) notes = [.. notes, e.Note];
        }
    }

    private int ShareOf(int boundary) =>
        (int)(((boundary + 1) * _states / Boundaries) - (boundary * _states / Boundaries));
}

/// <summary>One crash.</summary>
/// <param name="Events">How many events had happened.</param>
/// <param name="Seed">The seed that chose among the states that it could leave.</param>
/// <param name="Disk">What it left.</param>
/// <param name="Notes">What had been noted before it.</param>
internal sealed record CrashPoint(int Events, int Seed, CrashDisk Disk, IReadOnlyList<string> Notes)
{
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"crash after {Events} events, seed {Seed}");
}
