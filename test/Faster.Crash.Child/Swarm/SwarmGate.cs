namespace Faster.Crash.Swarm;

/// <summary>
/// Holds back what a store writes, so that its driver decides what happens meanwhile. A hold ends by itself after a
/// moment, so that a driver that waits for what it holds back can go on. Thread-safe.
/// </summary>
internal sealed class SwarmGate : IDisposable
{
    private static readonly TimeSpan LongestHold = TimeSpan.FromMilliseconds(20);

    private readonly ManualResetEventSlim _files = new(initialState: true);
    private readonly Timer _end;
    private volatile bool _holdsLog;

    /// <summary>An open gate.</summary>
    public SwarmGate() => _end = new Timer(_ => Open());

    /// <summary>Whether writes of logs are held back.</summary>
    public bool HoldsLog => _holdsLog;

    /// <summary>Called when the gate has been opened.</summary>
    public Action? Opened { get; set; }

    /// <summary>Releases a number of the writes of each log, the oldest first, and keeps holding the rest.</summary>
    public Action<int>? Release { get; set; }

    /// <summary>Holds back.</summary>
    /// <param name="log">Writes of the log.</param>
    /// <param name="files">Writes and syncs of all other files, and their names.</param>
    public void Hold(bool log, bool files)
    {
        _end.Change(LongestHold, Timeout.InfiniteTimeSpan);
        if (log) _holdsLog = true;
        if (files) _files.Reset();
    }

    /// <summary>Waits while files are held back.</summary>
    public void PassFiles() => _files.Wait();

    /// <summary>Releases everything.</summary>
    public void Open()
    {
        _holdsLog = false;
        _files.Set();
        Opened?.Invoke();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Open();
        _end.Dispose();
    }
}
