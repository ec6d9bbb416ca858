using Faster.Contracts;

namespace Faster.Tests.Scheduling;

/// <summary>A real thread that runs a logical thread of schedule after schedule, when it is told to.</summary>
/// <remarks>With no scheduler (the explorer's own thread) it carries the seeded bugs only.</remarks>
internal sealed class ScheduledThread : IDisposable
{
    private readonly SemaphoreSlim _go = new(0);
    private readonly ControlledScheduler? _scheduler;
    private readonly int _number;

    public ScheduledThread(ControlledScheduler? scheduler, int number, ulong bugs)
    {
        _scheduler = scheduler;
        _number = number;
        Bugs = bugs;
        if (scheduler is null) return;
        new Thread(Loop, maxStackSize: 256 << 10) { IsBackground = true, Name = $"scheduled {number}" }.Start();
    }

    /// <summary>The seeded bugs, a bit for each.</summary>
    public ulong Bugs { get; }

    /// <summary>What to run in the next schedule.</summary>
    public Action? Body { get; set; }

    public void Reached(ProbePoint point) => _scheduler?.Reached(_number, point);

    /// <summary>Lets this thread run.</summary>
    public void Resume() => _go.Release();

    /// <summary>Stops the calling thread, which must be this one, until it is resumed.</summary>
    public void Park() => _go.Wait();

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

        _go.Dispose();
    }
}
