using System.Diagnostics;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Tests.Checkpoints;

/// <summary>A capture rests beside sessions at work, and only then.</summary>
public sealed unsafe class CapturePaceTests
{
    private readonly EpochTable _epochs = new();

    [Fact]
    public void Beside_a_session_at_work_it_rests_after_each_moment()
    {
        EpochSlot* session = _epochs.Acquire("a session");
        _epochs.Enter(session);
        var pace = new CapturePace(_epochs);
        for (int i = 1; i <= 3; i++)
        {
            Work();
            pace.Rest();
            Assert.Equal(i, pace.Rests);
        }

        _epochs.Leave(session);
        _epochs.Release(session);
    }

    [Fact]
    public void Beside_a_store_at_rest_it_takes_none()
    {
        EpochSlot* session = _epochs.Acquire("a session");
        _epochs.Enter(session);
        _epochs.Leave(session);
        var pace = new CapturePace(_epochs);
        Work();
        pace.Rest();
        Assert.Equal(0, pace.Rests);
        _epochs.Release(session);
    }

    private static void Work()
    {
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) <= CapturePace.Moment) Thread.SpinWait(100);
    }
}
