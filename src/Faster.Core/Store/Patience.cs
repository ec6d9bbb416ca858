using System.Diagnostics;
using Faster.Contracts;

namespace Faster;

/// <summary>
/// How an operation waits, outside every epoch, for something that others hold; and when it stops to.
/// </summary>
internal struct Patience<TProbe>(FasterStore<TProbe> store)
    where TProbe : struct, IProbe
{
    /// <summary>After so long an operation that makes no progress fails rather than hang.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private SpinWait _spin;
    private long _since;

    /// <summary>Waits a little.</summary>
    /// <exception cref="UserFunctionException">Nothing has moved for <see cref="Limit"/>.</exception>
    public void Wait()
    {
        TProbe.Point(ProbePoint.Wait);
        store.Epochs.Drain();
        _spin.SpinOnce();
        if (_spin.NextSpinWillYield) Check();
    }

    /// <summary>Fails when nothing has moved for too long.</summary>
    public void Check()
    {
        long now = Stopwatch.GetTimestamp();
        if (_since == 0) _since = now;
        if (Stopwatch.GetElapsedTime(_since, now) < Limit) return;
        string? holder = store.Epochs.LongestHolder(out TimeSpan held);
        throw new UserFunctionException(holder is null
            ? $"An operation has made no progress for {Limit.TotalSeconds:0} s: a record's latch or the log's room "
            + $"is held. "
                + "A user function may be blocking; user functions must not wait."
            : $"An operation has made no progress for {Limit.TotalSeconds:0} s: {holder} has been inside its epoch for "
                + $"{held.TotalSeconds:0} s. Its user function is blocking; user functions must not wait.");
    }
}
