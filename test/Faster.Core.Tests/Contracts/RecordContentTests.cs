namespace Faster.Tests.Contracts;

/// <summary>Public records with lists compare and print what is in them.</summary>
public sealed class RecordContentTests
{
    [Fact]
    public void Points_of_the_same_content_are_equal()
    {
        CommitPoint point = Point(7, 9);
        Assert.Equal(point, Point(7, 9));
        Assert.Equal(point.GetHashCode(), Point(7, 9).GetHashCode());
        Assert.NotEqual(point, Point(7));
        Assert.NotEqual(point, Point(7, 8));
        Assert.Equal(new CommitPoint("loader", 10, 3), new CommitPoint("loader", 10, 3) { Excluded = [] });
        Assert.Equal(Commit(point), Commit(Point(7, 9)));
        Assert.NotEqual(Commit(point), Commit(Point(7)));
    }

    [Fact]
    public void Their_texts_show_what_is_in_their_lists()
    {
        const string Text = "CommitPoint { SessionName = loader, SerialNumber = 10, Version = 3, Excluded = [7, 9] }";
        CommitPoint point = Point(7, 9);
        Assert.Equal(Text, point.ToString());
        Assert.Contains($"Points = [{Text}, {Text}]", Commit(point, point).ToString(), StringComparison.Ordinal);
        var report = new RecoveryReport
        {
            Version = 3, Sessions = [point], BytesReplayed = 0, Elapsed = TimeSpan.Zero,
            Skipped = [new DamagedDataException("commit.4 is cut short")],
        };
        Assert.Contains($"Sessions = [{Text}], Skipped = [{report.Skipped[0].Message}]", report.ToString(),
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_point_covers_all_numbers_up_to_its_own_but_the_excluded()
    {
        long[][] lists = [[], [1], [10], [7, 9], [1, 2, 3], [2, 4, 6, 8, 10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [0, 12]];
        foreach (long[] excluded in lists)
        {
            CommitPoint point = Point(excluded);
            for (long number = -1; number <= 12; number++)
                Assert.Equal(number <= 10 && !excluded.AsSpan().Contains(number), point.Covers(number));
        }
    }

    [Fact]
    public void Excluded_numbers_that_do_not_ascend_are_refused()
    {
        string message = Assert.Throws<ArgumentException>(() => Point(1, 9, 7)).Message;
        Assert.Contains("7 follows 9", message, StringComparison.Ordinal);
    }

    private static CommitPoint Point(params long[] excluded) => new("loader", 10, 3) { Excluded = excluded };

    private static Commit Commit(params CommitPoint[] points) => new()
    {
        Version = 3, Kind = CommitKind.FoldOver, HasNewIndex = false, Points = points, BytesWritten = 5,
        Elapsed = TimeSpan.Zero,
    };
}
