using System.Diagnostics;
using System.Runtime.CompilerServices;
using Faster.Epochs;
using Faster.Probes;

namespace Faster.Checkpoints;

/// <summary>
/// Bounds how much of the processor's time a long capture takes from sessions: whenever it has worked for a moment and
/// a session is at work, it rests for as long. Beside a store at rest it takes no rests.
/// </summary>
/// <remarks>
/// Not by the thread's priority: a thread that lowers its own can't raise it again, and every thread that it starts
/// has the lower one for good, those of the thread pool and of devices among them. Not thread-safe: it belongs to the
/// capture's thread, outside every epoch.
/// </remarks>
/// <param name="epochs">The epochs that sessions enter.</param>
internal sealed class CapturePace(EpochTable epochs)
{
    /// <summary>How long a capture works between two rests, about, and the most that it rests at once.</summary>
    internal static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(1), MaxRest = TimeSpan.FromMilliseconds(4);

    private long _since = Stopwatch.GetTimestamp();

    /// <summary>The number of rests.</summary>
    public int Rests { get; private set; }

    /// <summary>Called between two pieces of work.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Rest()
    {
        TimeSpan worked = Stopwatch.GetElapsedTime(_since);
        if (worked < Moment || (Probe.On && Probe.TakesTurns)) return;
        if (epochs.IsEntered)
        {
            Thread.Sleep(worked < MaxRest ? worked : MaxRest);
            Rests++;
        }

        _since = Stopwatch.GetTimestamp();
    }
}
