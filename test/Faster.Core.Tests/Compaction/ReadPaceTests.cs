using Faster.Compaction;
using Faster.Tests.Store;

namespace Faster.Tests.Compaction;

/// <summary>The background reads no more a second than it may, and never falls behind those who write.</summary>
public sealed class ReadPaceTests
{
    private const int Page = 256 << 10;

    private readonly ManualTime _time = new();

    [Fact]
    public void Where_nothing_is_written_the_rate_holds()
    {
        var pace = new ReadPace(0, _time);
        const long all = 1L << 30;
        long from = _time.Now;
        for (long read = 0; read < all; read += Page) Pause(pace.After(Page, 0));
        double seconds = (_time.Now - from) / 1000.0;
        Assert.InRange((all - ReadPace.Burst) / seconds, ReadPace.BytesPerSecond * 0.9, ReadPace.BytesPerSecond);
    }

    [Fact]
    public void A_little_is_read_at_once_after_a_rest_and_no_more_after_a_long_one()
    {
        var pace = new ReadPace(0, _time);
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < ReadPace.Burst / Page; i++) Assert.Equal(TimeSpan.Zero, pace.After(Page, 0));
            Assert.True(Pause(pace.After(ReadPace.Burst, 0)) > 0);
            _time.Advance(3_600_000);
        }
    }

    [Fact]
    public void What_the_log_grows_by_is_read_without_a_pause()
    {
        var pace = new ReadPace(1_000, _time);
        for (long tail = 1_000; tail < 1L << 30; tail += Page)
            Assert.Equal(TimeSpan.Zero, pace.After(Page, tail + Page));
    }

    private long Pause(TimeSpan pause)
    {
        _time.Advance((long)Math.Ceiling(pause.TotalMilliseconds));
        return (long)pause.TotalMilliseconds;
    }
}
