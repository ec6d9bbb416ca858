using Faster.Contracts;
using Faster.Probes;

namespace Faster.Tests.Scheduling;

/// <summary>A real thread that runs a logical thread of one schedule after another, when it is resumed.</summary>
/// <remarks>With no scheduler (the explorer's own thread) it carries the seeded bugs only.</remarks>
internal sealed class ScheduledThread : IDisposable
{
    private readonly HandOver _go = new();
    private readonly ControlledScheduler? _scheduler;
    private readonly int _number;
    private readonly bool[] _bugs;

    /// <summary>A thread that waits for work.</summary>
    /// <param name="scheduler">The scheduler that resumes it, or null.</param>
    /// <param name="number">Its number among those of a scenario.</param>
    /// <param name="bugs">Whether each of the seeded bugs is turned on, by its number.</param>
    public ScheduledThread(ControlledScheduler? scheduler, int number, bool[] bugs)
    {
        _scheduler = scheduler;
        _number = number;
        _bugs = bugs;
        if (scheduler is null) return;
        new Thread(Loop, maxStackSize: 256 << 10) { IsBackground = true, Name = $"scheduled {number}" }.Start();
    }

    /// <summary>What to run in the next schedule.</summary>
    public Action? Body { get; set; }

    public bool Has(SeededBug bug) => _bugs[(int)bug];

    public void Reached(ProbePoint point) => _scheduler?.Reached(_number, point);

    /// <summary>Waits by the scheduler; false if there is none.</summary>
    /// <param name="until">The condition; null waits for one turn.</param>
    public bool Wait(Func<bool>? until)
    {
        if (_scheduler is null) return false;
        if (until is null) _scheduler.Reached(_number, ProbePoint.Wait);
        else _scheduler.WaitUntil(_number, until);
        return true;
    }

    /// <summary>Lets this thread run.</summary>
    public void Resume() => _go.Resume();

    /// <summary>Stops this thread, which must be the calling one, until it is resumed.</summary>
    public void Park() => _go.Park();

    /// <summary>Ends the thread, which must be between two schedules.</summary>
    public void Dispose()
    {
        Body = null;
        Resume();
    }

    private void Loop()
    {
        ScheduledProbe.Attach(this);
        while (true)
        {
            Park();
            if (Body is null) break;
            Exception? failure = null;
            try
            {
                Body();
            }
            catch (Exception exception)
            {
                failure = exception;
            }

            _scheduler!.Ended(_number, failure);
        }
    }
}
