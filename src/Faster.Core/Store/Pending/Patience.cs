using System.Diagnostics;
using Faster.Contracts;

namespace Faster;

/// <summary>
/// How an operation waits, outside every epoch, for something that others hold; and when it stops to.
/// </summary>
/// <remarks>
/// Time counts while this thread runs: of a longer gap between two looks, when the machine slept or the thread got no
/// processor, only <see cref="LongestGap"/> does.
/// </remarks>
internal struct Patience<TProbe>(FasterStore<TProbe> store)
    where TProbe : struct, IProbe
{
    /// <summary>After so long an operation that makes no progress fails rather than hang.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan LongestGap = TimeSpan.FromSeconds(1);

    private SpinWait _spin;
    private TimeSpan _waited;
    private long _lastLook;

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
        TimeSpan gap = _lastLook == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(_lastLook, now);
        _waited += gap < LongestGap ? gap : LongestGap;
        _lastLook = now;
        if (_waited >= Limit) throw NoProgress();
    }

    private readonly UserFunctionException NoProgress()
    {
        string? holder = store.Epochs.LongestHolder(out TimeSpan held);
        string cause = holder is null
            ? "a record's latch or the log's room is held. A user function may be blocking"
            : $"{holder} has been inside its epoch for {held.TotalSeconds:0} s. Its user function is blocking";
        return new UserFunctionException(
            $"An operation has made no progress for {Limit.TotalSeconds:0} s: {cause}; user functions must not wait. "
            + $"The log: {store.Log}.", store.Statistics.LastFault);
    }
}
