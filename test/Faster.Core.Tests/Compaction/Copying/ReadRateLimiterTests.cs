using Faster.Compaction.Copying;
using Faster.Tests.Expiry;

namespace Faster.Tests.Compaction.Copying;

/// <summary>The background reads no more per second than it may, and never falls behind the writers.</summary>
public sealed class ReadRateLimiterTests
{
    private const int Page = 256 << 10;

    private readonly ManualTime _time = new();

    [Fact]
    public void Where_nothing_is_written_the_rate_holds()
    {
        var pace = new ReadRateLimiter(0, _time);
        const long all = 1L << 30;
        long from = _time.Now;
        for (long read = 0; read < all; read += Page) Pause(pace.After(Page, 0));
        double seconds = (_time.Now - from) / 1000.0;
        Assert.InRange((all - ReadRateLimiter.Burst) / seconds, ReadRateLimiter.BytesPerSecond * 0.9,
            ReadRateLimiter.BytesPerSecond);
    }

    [Fact]
    public void A_little_is_read_at_once_after_a_rest_and_no_more_after_a_long_one()
    {
        var pace = new ReadRateLimiter(0, _time);
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < ReadRateLimiter.Burst / Page; i++) Assert.Equal(TimeSpan.Zero, pace.After(Page, 0));
            Assert.True(Pause(pace.After(ReadRateLimiter.Burst, 0)) > 0);
            _time.Advance(3_600_000);
        }
    }

    [Fact]
    public void As_many_bytes_as_the_log_grows_by_are_read_without_a_pause()
    {
        var pace = new ReadRateLimiter(1_000, _time);
        for (long tail = 1_000; tail < 1L << 30; tail += Page)
            Assert.Equal(TimeSpan.Zero, pace.After(Page, tail + Page));
    }

    private long Pause(TimeSpan pause)
    {
        _time.Advance((long)Math.Ceiling(pause.TotalMilliseconds));
        return (long)pause.TotalMilliseconds;
    }
}
