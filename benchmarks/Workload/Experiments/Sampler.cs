using System.Diagnostics;

namespace Faster.Workload.Experiments;

/// <summary>
/// Looks at a run now and then from a thread of its own. It only reads what the workers publish, each on a cache line
/// of its own, so that it does not slow them down.
/// </summary>
internal sealed class Sampler : IDisposable
{
    private readonly Func<(long Operations, long LogBytes)> _look;
    private readonly double _interval;
    private readonly List<Sample> _samples;
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly Thread _thread;
    private volatile bool _stop;

    /// <summary>Starts to sample every <paramref name="interval"/> seconds.</summary>
    /// <param name="interval">The time between samples. One that comes late does not make the next one late.</param>
    /// <param name="expectedSeconds">About how long it will last: the list is allocated for that.</param>
    /// <param name="look">Reads the current values.</param>
    public Sampler(double interval, double expectedSeconds, Func<(long Operations, long LogBytes)> look)
    {
        _look = look;
        _interval = interval;
        _samples = new List<Sample>((int)(2 * expectedSeconds / interval) + 16);
        Look();
        _thread = new Thread(Work) { IsBackground = true, Name = "sampler" };
        _thread.Start();
    }

    /// <summary>The time since sampling began, in seconds.</summary>
    public double Now => Stopwatch.GetElapsedTime(_start).TotalSeconds;

    /// <summary>Stops, and gives what was seen.</summary>
    public Timeline Finish()
    {
        Dispose();
        if (_samples.Count < 2 || Now - _samples[^1].Seconds > _interval / 2)
            Look();
        return new Timeline(_samples);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _stop = true;
        _thread.Join();
    }

    private void Work()
    {
        while (!_stop)
        {
            // After a late sample the next one is left out, if it came less than half an interval later.
            double next = (Math.Round(_samples[^1].Seconds / _interval) + 1) * _interval;
            Thread.Sleep(TimeSpan.FromSeconds(Math.Max(next - Now, 0)));
            Look();
        }
    }

    private void Look()
    {
        (long operations, long logBytes) = _look();
        _samples.Add(new Sample(Now, operations, logBytes));
    }
}
