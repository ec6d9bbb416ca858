using System.Diagnostics;

namespace Faster.Tests.House;

/// <summary>Time is lost while other processes have the processors, and not while a test hangs.</summary>
public sealed class LostTimeTests
{
    private const int Processors = 2;
    private static readonly TimeSpan Elapsed = TimeSpan.FromSeconds(10);

    [Theory]
    [InlineData("waits for a lock", 1, 0, 0, 0, 10)]
    [InlineData("two threads work alone", 2, 10, 0, 0, 10)]
    [InlineData("eight threads spin alone", 8, 2.5, 7.5, 0, 2.5)]
    [InlineData("one thread works beside four others", 1, 4, 6, 6, 4)]
    [InlineData("two threads work beside four others", 2, 3.3, 6.7, 6.7, 3.3)]
    [InlineData("ten threads work beside four others", 10, 1.4, 8.6, 3, 1.4)]
    [InlineData("waits for a lock while another one starves", 1, 0.1, 1.9, 1.9, 8.1)]
    [InlineData("two threads get nothing", 2, 0, 10, 9, 1)]
    public void Processor_time_of_others_is_lost(
        string what, int threads, double ran, double waited, double expected, double given)
    {
        var clock = new Clock();
        TimeSpan disk = default;
        Dictionary<string, (long Ran, long Waited)> counts = [];
        var lost = new LostTime(clock, () => new(counts), () => disk, Processors);
        for (int round = 1; round <= 3; round++)
        {
            clock.Now += Elapsed;
            for (int i = 0; i < threads; i++)
                counts[$"{i}"] = ((long)(round * ran * 1e9), (long)(round * waited * 1e9));
            Assert.Equal(round * given, lost.GivenSince(0).TotalSeconds, tolerance: 0.01);
            Assert.True(
                Math.Abs(lost.Total().TotalSeconds - (round * expected)) < 0.01, $"{what}, {round}: {lost.Total()}");
        }
    }

    [Fact]
    public void A_thread_that_has_ended_is_forgotten_and_its_number_may_come_again()
    {
        var clock = new Clock();
        TimeSpan disk = default;
        Dictionary<string, (long Ran, long Waited)> counts = new() { ["1"] = (90_000_000_000, 90_000_000_000) };
        var lost = new LostTime(clock, () => new(counts), () => disk, Processors);
        counts["1"] = (4_000_000_000, 6_000_000_000); // another thread
        clock.Now += Elapsed;
        Assert.Equal(6, lost.Total().TotalSeconds, tolerance: 0.01);
        counts.Clear();
        clock.Now += Elapsed;
        Assert.Equal(6, lost.Total().TotalSeconds, tolerance: 0.01);
    }

    [Theory]
    [InlineData(0, 10)]
    [InlineData(4, 6)]
    [InlineData(10, 1)]
    public void A_wait_for_a_disk_is_excused_but_for_a_tenth(double waits, double given)
    {
        var clock = new Clock();
        var disk = TimeSpan.FromSeconds(100); // of the machine's life before
        var lost = new LostTime(clock, () => [], () => disk, Processors);
        clock.Now += Elapsed;
        disk += TimeSpan.FromSeconds(waits);
        Assert.Equal(given, lost.GivenSince(0).TotalSeconds, tolerance: 0.01);
        Assert.Equal(TimeSpan.Zero, lost.Total());
    }

    [Fact]
    public void The_lost_time_is_a_part_of_the_time()
    {
        long start = Stopwatch.GetTimestamp();
        var lost = new LostTime();
        for (int i = 0; i < 3; i++) Assert.InRange(lost.Total(), TimeSpan.Zero, Stopwatch.GetElapsedTime(start));
    }

    private sealed class Clock : TimeProvider
    {
        public TimeSpan Now { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;
    }
}
