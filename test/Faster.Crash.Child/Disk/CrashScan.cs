using System.Globalization;

namespace Faster.Crash.Disk;

/// <summary>Every crash of a recorded run: a state for each event that can be lost, and each seed.</summary>
/// <remarks>
/// Goes through the events once. States that were seen before, with nobody told anything between, are left out: what
/// is counted is distinct. Not thread-safe.
/// </remarks>
/// <param name="run">The recorded run.</param>
/// <param name="firstSeed">The first seed.</param>
/// <param name="seeds">How many seeds each event gets.</param>
/// <param name="oneIn">Of so many pairs of event and seed one is taken, all over the run.</param>
internal sealed class CrashScan(CrashDisk run, int firstSeed, int seeds, int oneIn = 1)
{
    /// <summary>How many states were left out because they had been seen.</summary>
    public long Repeated { get; private set; }

    /// <summary>All states, in order of the run.</summary>
    public IEnumerable<CrashPoint> All() => All(0, int.MaxValue);

    /// <summary>The states of crashes after some of the events.</summary>
    /// <param name="from">The number of events before the first crash.</param>
    /// <param name="to">The number of events before which the last one lies.</param>
    public IEnumerable<CrashPoint> All(int from, int to)
    {
        var model = new DurableModel(run.Initial);
        string[] notes = [];
        HashSet<(ulong, int)> seen = [];
        bool changed = true;
        for (int i = 0; i <= run.Events.Count && i < to; i++)
        {
            for (int seed = firstSeed; i >= from && changed && seed < firstSeed + seeds; seed++)
            {
                if (!model.IsUncertain && seed > firstSeed) break;
                if (DiskImage.Mix(((ulong)i << 20) + (uint)seed) % (uint)oneIn != 0) continue;
                DiskImage image = model.Choose(new CrashChoice(seed));
                if (seen.Add((image.Fingerprint(), notes.Length)))
                    yield return new CrashPoint(i, seed, new CrashDisk(image), notes);
                else Repeated++;
            }

            if (i == run.Events.Count) break;
            DiskEvent e = run.Events[i];
            changed = e.Changes;
            model.Advance(e);
            if (e.Kind == DiskEventKind.Mark) notes = [.. notes, e.Note];
        }
    }
}

/// <summary>One crash.</summary>
/// <param name="Events">How many events had happened.</param>
/// <param name="Seed">What chose among the states that it could leave.</param>
/// <param name="Disk">What it left.</param>
/// <param name="Notes">What had been noted before it.</param>
internal sealed record CrashPoint(int Events, int Seed, CrashDisk Disk, IReadOnlyList<string> Notes)
{
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"crash after {Events} events, seed {Seed}");
}
