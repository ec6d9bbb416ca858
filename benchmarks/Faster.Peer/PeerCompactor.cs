using FASTER.core;

namespace Faster.Peer;

/// <summary>
/// Keeps the peer's log near a size as its users do it: a thread of its own copies what lives in the oldest tenth to
/// the tail, by look-ups, and truncates the log. Writers are held back while the log is a quarter above the size, as
/// our stores do; the peer itself has nothing for it.
/// </summary>
/// <typeparam name="TValue">The type of values.</typeparam>
internal sealed class PeerCompactor<TValue> : IDisposable
    where TValue : unmanaged
{
    private const int Steps = 10, Excess = 4;
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    private readonly FasterKV<long, TValue> _store;
    private readonly long _diskBytes;
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;

    /// <summary>Starts the thread.</summary>
    /// <param name="store">The store.</param>
    /// <param name="diskBytes">What its log may take on disk.</param>
    public PeerCompactor(FasterKV<long, TValue> store, long diskBytes)
    {
        (_store, _diskBytes) = (store, diskBytes);
        _thread = new Thread(Run) { IsBackground = true, Name = "compaction of the peer" };
        _thread.Start();
    }

    /// <summary>Waits while the log is too large. The caller is inside no epoch.</summary>
    public void WaitForSpace()
    {
        while (Size > _diskBytes + (_diskBytes / Excess))
            Thread.Sleep(0);
    }

    /// <summary>Stops the thread after the step under way.</summary>
    public void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _stop.Dispose();
    }

    private void Run()
    {
        using var session = PeerSessions.StartSession<TValue, AtomicAdder>(_store, new PeerSink());
        long step = _diskBytes / Steps;
        while (!_stop.Wait(Pause))
        {
            while (Size > _diskBytes - step && !_stop.IsSet)
            {
                long until = Math.Min(_store.Log.BeginAddress + step, _store.Log.SafeReadOnlyAddress);
                _ = session.Compact(until, CompactionType.Lookup);
                _store.Log.Truncate();
            }
        }
    }

    private long Size => _store.Log.TailAddress - _store.Log.BeginAddress;
}
