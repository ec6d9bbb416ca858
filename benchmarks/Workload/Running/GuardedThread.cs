using System.Runtime.ExceptionServices;

namespace Faster.Workload;

/// <summary>A background thread whose failure is thrown where it is joined.</summary>
internal sealed class GuardedThread
{
    private readonly Action _work;
    private readonly Thread _thread;
    private ExceptionDispatchInfo? _failure;

    /// <summary>Makes the thread, not started yet.</summary>
    public GuardedThread(Action work)
    {
        _work = work;
        _thread = new Thread(Run) { IsBackground = true };
    }

    /// <summary>Whether it was started, and has not stopped.</summary>
    public bool IsRunning => _thread.IsAlive;

    /// <summary>Starts to work.</summary>
    public void Start() => _thread.Start();

    /// <summary>Waits until it has stopped, and rethrows what it failed with.</summary>
    public void Join()
    {
        _thread.Join();
        _failure?.Throw();
    }

    private void Run()
    {
        try
        {
            _work();
        }
        catch (Exception e)
        {
            _failure = ExceptionDispatchInfo.Capture(e);
        }
    }
}
