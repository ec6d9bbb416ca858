using Faster.Checkpoints.Recovery;

namespace Faster.Tests.Checkpoints.Recovery;

/// <summary>The progress of threads that read different parts is one progress.</summary>
public sealed class RecoveryMeterTests
{
    [Fact]
    public void Steps_and_bytes_never_fall_and_end_at_the_total()
    {
        var reports = new Reports();
        var meter = new RecoveryMeter(reports, 1000, 2000);
        Parallel.Invoke(
            () => Count(1000, meter.ReadIndex),
            () => Count(2000, bytes => meter.ReadLog(RecoveryStep.ReadingLog, bytes)));
        meter.ReadLog(RecoveryStep.ReplayingLog, 2000);
        Assert.Equal(3001, reports.Count);
        Assert.Equal(new RecoveryProgress(RecoveryStep.ReplayingLog, 3000, 3000), reports.Last);
    }

    [Fact]
    public void While_the_index_is_read_that_is_the_step()
    {
        var reports = new Reports();
        var meter = new RecoveryMeter(reports, 10, 20);
        meter.ReadLog(RecoveryStep.ReadingLog, 20);
        Assert.Equal(new RecoveryProgress(RecoveryStep.ReadingIndex, 20, 30), reports.Last);
        meter.ReadIndex(10);
        Assert.Equal(new RecoveryProgress(RecoveryStep.ReadingLog, 30, 30), reports.Last);
    }

    private static void Count(int to, Action<long> report)
    {
        for (int bytes = 1; bytes <= to; bytes++) report(bytes);
    }

    // Not thread-safe: reports must not overlap.
    private sealed class Reports : IProgress<RecoveryProgress>
    {
        public int Count { get; private set; }

        public RecoveryProgress Last { get; private set; }

        public void Report(RecoveryProgress value)
        {
            Assert.True(value.Step >= Last.Step && value.BytesDone >= Last.BytesDone, $"{value} after {Last}");
            (Last, Count) = (value, Count + 1);
        }
    }
}
