namespace Faster.Expiry;

/// <summary>
/// Reads the system's clock for the stores that ask for the time, so that an operation need not: reading it would be
/// half of what an operation in memory executes.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A clock is served from when it was asked for until <see cref="Turns"/> turns later, and then again if it is
/// asked for.</item>
/// <item>While no clock is served, no thread runs.</item>
/// </list>
/// <para>What a served clock says is as old as <see cref="Interval"/>, and what the system adds when it wakes the
/// thread late. One thread for all stores of the process. Thread-safe.</para>
/// </remarks>
internal static class ClockTicker
{
    /// <summary>How often the clock is read, in milliseconds.</summary>
    public const int Interval = 4;

    /// <summary>After so many turns a clock must be asked for again.</summary>
    public const int Turns = 64;

    private static readonly object _gate = new();
    private static readonly Dictionary<StoreClock, int> _left = []; // the turns of each
    private static bool _hasThread;

    /// <summary>Serves a clock from now on.</summary>
    public static void Serve(StoreClock clock)
    {
        lock (_gate)
        {
            _left[clock] = Turns;
            clock.Publish();
            if (!_hasThread) new Thread(Run) { IsBackground = true, Name = "Faster: clock" }.UnsafeStart();
            _hasThread = true;
            Monitor.Pulse(_gate);
        }
    }

    private static void Run()
    {
        for (;;)
        {
            lock (_gate)
            {
                while (_left.Count == 0) Monitor.Wait(_gate);
                foreach ((StoreClock clock, int left) in _left.ToArray()) Turn(clock, left);
            }

            Thread.Sleep(Interval);
        }
    }

    private static void Turn(StoreClock clock, int left)
    {
        if (left > 0)
        {
            _left[clock] = left - 1;
            clock.Publish();
            return;
        }

        clock.Withdraw();
        _ = _left.Remove(clock);
    }
}
