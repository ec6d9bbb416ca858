using System.Threading.Channels;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// A clock whose one timer fires when the test says so: the timer of the task that reclaims the space of expired
/// records. This task thus works when the test lets it, and rests otherwise.
/// </summary>
/// <remarks>Thread-safe except <see cref="LookAsync"/>, which may be called by one caller at a time.</remarks>
internal sealed class HandTime : TickingTime
{
    private readonly Channel<Timer> _timers = Channel.CreateUnbounded<Timer>();

    /// <summary>Waits until the task rests.</summary>
    public async Task RestAsync() => await _timers.Reader.WaitToReadAsync();

    /// <summary>Lets the task run once.</summary>
    public async Task LookAsync()
    {
        Timer timer = await _timers.Reader.ReadAsync();
        timer.GoOff();
        await RestAsync();
    }

    /// <summary>Forgets the task of a store that has been closed.</summary>
    public void Forget()
    {
        while (_timers.Reader.TryRead(out _))
        {
            // Nothing waits for it.
        }
    }

    /// <inheritdoc/>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(() => callback(state));
        Assert.True(_timers.Writer.TryWrite(timer));
        return timer;
    }

    private sealed class Timer(Action goOff) : ITimer
    {
        public Action GoOff => goOff;

        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose()
        {
            // It fires by hand only.
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
