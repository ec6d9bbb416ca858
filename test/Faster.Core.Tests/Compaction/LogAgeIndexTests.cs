using Faster.Checkpoints;
using Faster.Compaction;

namespace Faster.Tests.Compaction;

/// <summary>Ages are few, and never make a record older than it is.</summary>
public sealed class LogAgeIndexTests
{
    private static readonly DateTimeOffset Start = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    [Fact]
    public void Of_many_marks_a_bounded_number_is_kept_and_none_lies()
    {
        var time = new Clock();
        var marks = new LogAgeIndex(time);
        const int Many = 5000;
        for (int i = 1; i <= Many; i++)
        {
            time.Now = Start.AddSeconds(i);
            marks.Add(i * 100);
        }

        Assert.InRange(marks.Between(0, long.MaxValue).Length, LogAgeIndex.Most / 2, LogAgeIndex.Most);
        for (int seconds = 1; seconds < Many; seconds += 37)
        {
            long found = marks.Before(time.Now.UtcDateTime.AddSeconds(-seconds));
            Assert.True(found <= (Many - seconds) * 100, $"{seconds}: {found}");
            Assert.True(found >= (Many - seconds - (Many / 8)) * 100, $"{seconds}: {found} is far off");
        }
    }

    [Fact]
    public void A_clock_that_is_put_back_makes_nothing_older()
    {
        var time = new Clock { Now = Start.AddHours(2) };
        var marks = new LogAgeIndex(time);
        marks.Add(100);
        time.Now = Start;
        marks.Add(200);
        marks.Add(150); // late: a higher one is known
        Assert.Equal(0, marks.Before(Start.AddHours(1).UtcDateTime));
        Assert.Equal(200, marks.Before(Start.AddHours(2).UtcDateTime));
        LogAge mark = Assert.Single(marks.Between(0, 1000));
        Assert.Equal(DateTimeKind.Utc, mark.Utc.Kind);
        marks.Forget(200);
        Assert.Equal(DateTime.MinValue, marks.Newest);
    }

    [Fact]
    public void Marks_are_given_out_from_one_address_to_another_and_forgotten_below_one()
    {
        var marks = new LogAgeIndex(new Clock());
        Assert.Equal((0, DateTime.MinValue), (marks.Before(Start.UtcDateTime), marks.Newest));
        marks.Restore([.. Enumerable.Range(1, 5).Select(i => new LogAge(i * 100, Start.AddHours(i).UtcDateTime))]);
        Assert.Equal(Start.AddHours(5).UtcDateTime, marks.Newest);
        Assert.Equal([200, 300, 400], marks.Between(100, 400).Select(mark => mark.Address));
        Assert.Equal(0, marks.Before(Start.AddHours(1).UtcDateTime.AddTicks(-1)));
        Assert.Equal(100, marks.Before(Start.AddHours(1).UtcDateTime));
        marks.Forget(200);
        Assert.Equal([300, 400, 500], marks.Between(0, 1000).Select(mark => mark.Address));
        Assert.Equal(0, marks.Before(Start.AddHours(2).UtcDateTime));
    }

    [Fact]
    public void A_mark_that_comes_late_is_not_below_what_was_forgotten()
    {
        var marks = new LogAgeIndex(new Clock());
        marks.Add(200);
        marks.Forget(200);
        marks.Add(150); // by a thread that was slow
        Assert.Empty(marks.Between(0, long.MaxValue));
        Assert.Equal(DateTime.MinValue, marks.Newest);
        marks.Add(201);
        Assert.Equal(201, marks.Before(DateTime.MaxValue));
    }

    private sealed class Clock : TimeProvider
    {
        public DateTimeOffset Now { get; set; } = Start;

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
