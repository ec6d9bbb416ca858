using Faster.OperationLogs;

namespace Faster.Crash.Crashes;

/// <summary>
/// A thread that owns one operation log after another for some moments each, so that sessions change logs between their
/// operations, and within their units.
/// </summary>
/// <remarks>It waits for nothing while it owns a log, and never owns two.</remarks>
internal sealed class LogHolder : IDisposable
{
    private const int LongestHold = 400, Record = 64; // spins, of which one session's operation takes some tens; bytes

    private readonly LogSet _logs;
    private readonly Random _random;
    private readonly Thread _thread;
    private volatile bool _ends;

    /// <summary>Begins.</summary>
    /// <param name="logs">The logs.</param>
    /// <param name="seed">Chooses which, and for how long.</param>
    public LogHolder(LogSet logs, int seed)
    {
        (_logs, _random) = (logs, new Random(seed));
        _thread = new Thread(Hold) { IsBackground = true };
        _thread.Start();
    }

    /// <summary>Whether each log has got records.</summary>
    public bool HasSpread => _logs.Mark().All(static mark => mark.Position > 0);

    /// <summary>Lets go.</summary>
    public void Dispose()
    {
        _ends = true;
        _thread.Join();
    }

    private void Hold()
    {
        while (!_ends)
        {
            int log = _random.Next(_logs.Count);
            if (_logs.TryReserve(ref log, Record, mayUseReserve: true, out LogReservation held) != LogSpace.Taken)
            {
                Thread.Yield();
                continue;
            }

            if (_random.Next(4) == 0) Thread.Yield(); // sessions run meanwhile, also on a single processor
            Thread.SpinWait(_random.Next(LongestHold));
            held.Release();
        }
    }
}
