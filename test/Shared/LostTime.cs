using System.Globalization;

namespace Faster.Testing;

/// <summary>
/// The time that a busy machine withholds from this process: its threads could run, but other processes have the
/// processors, or its disk serves others. A limit that excludes this time means the same on any machine, however busy.
/// </summary>
/// <remarks>
/// Linux counts for each thread how long it ran and how long it waited for a processor, and for the machine how long
/// some thread waited for a disk (I/O pressure). Time that the threads of this process take from each other is not
/// lost. On other systems nothing counts as lost, so limits are plain ones there. Steal time of a virtual machine is
/// not measured. Thread-safe.
/// </remarks>
internal sealed class LostTime
{
    private const string Threads = "/proc/self/task", DiskPressure = "/proc/pressure/io";
    private const double Most = 0.9; // of any time: so a limit is always reached eventually

    private readonly Lock _lock = new();
    private readonly TimeProvider _clock;
    private readonly Func<Dictionary<string, (long Ran, long Waited)>> _read;
    private readonly Func<TimeSpan> _readDisk;
    private readonly int _processors;
    private readonly TimeSpan _diskAtStart;
    private Dictionary<string, (long Ran, long Waited)> _last;
    private long _lastTime;
    private TimeSpan _lost, _waited;

    /// <summary>Measures this process on this machine.</summary>
    public LostTime()
        : this(TimeProvider.System, OfThreads, OfDisk, Environment.ProcessorCount)
    {
    }

    /// <summary>
    /// Measures what functions read: for each thread, the nanoseconds that it ran and that it waited for a processor;
    /// and how long threads of the machine have waited for a disk.
    /// </summary>
    public LostTime(
        TimeProvider clock, Func<Dictionary<string, (long Ran, long Waited)>> read, Func<TimeSpan> readDisk,
        int processors)
    {
        (_clock, _read, _readDisk, _processors) = (clock, read, readDisk, processors);
        (_last, _lastTime, _diskAtStart) = (read(), clock.GetTimestamp(), readDisk());
    }

    /// <summary>
    /// How long something took that began after this was made, without the time in which threads of this process waited
    /// for a processor since then, also for a processor that another thread of this process had, such as that of
    /// another test, and without the time in which threads of the machine waited for a disk. A tenth of it counts
    /// always.
    /// </summary>
    /// <param name="start">The timestamp at which it began.</param>
    public TimeSpan GivenSince(long start)
    {
        _ = Total();
        lock (_lock)
        {
            TimeSpan taken = _clock.GetElapsedTime(start, _lastTime), lost = _waited + _readDisk() - _diskAtStart;
            TimeSpan least = taken * (1 - Most);
            return taken - lost > least ? taken - lost : least;
        }
    }

    /// <summary>
    /// How long something took: by the clock or, if that exceeds a limit, in the time that the machine gave.
    /// </summary>
    /// <param name="start">The timestamp at which it began, since this was made.</param>
    /// <param name="limit">The limit, within which the threads need not be read.</param>
    public TimeSpan Taken(long start, TimeSpan limit)
    {
        TimeSpan taken = _clock.GetElapsedTime(start);
        return taken > limit ? GivenSince(start) : taken;
    }

    /// <summary>How much was lost since this was made.</summary>
    public TimeSpan Total()
    {
        lock (_lock)
        {
            Dictionary<string, (long Ran, long Waited)> now = _read();
            long time = _clock.GetTimestamp();
            TimeSpan elapsed = _clock.GetElapsedTime(_lastTime, time);
            double ran = 0, waited = 0;
            foreach ((string thread, (long Ran, long Waited) counts) in now)
            {
                (long Ran, long Waited) before = _last.GetValueOrDefault(thread);
                if (counts.Ran < before.Ran || counts.Waited < before.Waited) before = default; // another thread
                ran += counts.Ran - before.Ran;
                waited += counts.Waited - before.Waited;
            }

            (_last, _lastTime) = (now, time);
            if (elapsed <= TimeSpan.Zero) return _lost;

            // Other processes had the time that this process did not have. Its threads share what was withheld from
            // them.
            double all = elapsed.TotalNanoseconds, others = Math.Max((all * _processors) - ran, 0);
            double wanted = Math.Max((ran + waited) / all, 1);
            _lost += Part(Math.Min(waited, others) / Math.Min(wanted, _processors));
            _waited += Part(waited / wanted);
            return _lost;

            TimeSpan Part(double nanoseconds) => elapsed * Math.Min(nanoseconds / all, Most);
        }
    }

    // "some avg10=0.00 … total=microseconds": some thread waited, in the first line.
    private static TimeSpan OfDisk()
    {
        try
        {
            string total = File.ReadLines(DiskPressure).First().Split("total=")[1];
            return TimeSpan.FromMicroseconds(long.Parse(total, CultureInfo.InvariantCulture));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return TimeSpan.Zero; // the system does not count
        }
    }

    private static Dictionary<string, (long Ran, long Waited)> OfThreads()
    {
        var counts = new Dictionary<string, (long Ran, long Waited)>();
        if (!Directory.Exists(Threads)) return counts;
        foreach (string thread in Directory.EnumerateDirectories(Threads))
        {
            try
            {
                string[] words = File.ReadAllText(Path.Combine(thread, "schedstat")).Split(' ');
                if (long.TryParse(words[0], out long ran) && long.TryParse(words[1], out long waited))
                    counts[thread] = (ran, waited);
            }
            catch (IOException)
            {
                // The thread has ended, or the system does not count.
            }
        }

        return counts;
    }
}
