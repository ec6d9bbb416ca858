namespace Faster.Crash.Crashes;

/// <summary>
/// A fact about the run that FASTER_CRASH_TRACE names; without this variable it is skipped, with the reason.
/// </summary>
public sealed class ReplayFactAttribute : FactAttribute
{
    public ReplayFactAttribute()
    {
        if (ReplayTests.Trace is null) Skip = $"{ReplayTests.TraceVariable} names no run to look at again.";
    }
}
