using System.Threading.Channels;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// A time whose one timer goes off when the test says so: that of the task which gives back the room of expired
/// records. So this task looks when the test lets it, and rests otherwise.
/// </summary>
/// <remarks>Thread-safe but for <see cref="LookAsync"/>, which one caller at a time may call.</remarks>
internal sealed class HandTime : TickingTime
{
    private readonly Channel<Timer> _timers = Channel.CreateUnbounded<Timer>();

    /// <summary>Waits until the task rests, which has begun to.</summary>
    public async Task RestAsync() => await _timers.Reader.WaitToReadAsync();

    /// <summary>Lets the task look once.</summary>
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
            // Nobody waits for it.
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
            // Goes off by hand only.
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
