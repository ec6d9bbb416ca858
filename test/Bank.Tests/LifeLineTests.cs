using Bank.Lives;
using Bank.Report;
using Bank.Commands;
using Bank.Transfers;

namespace Bank.Tests;

public sealed class LifeLineTests
{
    [Fact]
    public void A_line_is_read_as_it_was_written()
    {
        using StringWriter writer = new();
        new LifeLine(LifeLine.CommitWord, [12, 100, 7, 8]).Write(writer);
        string text = writer.ToString().TrimEnd('\r', '\n');
        LifeLine read = LifeLine.Parse(text, tellers: 2)!.Value;
        Assert.Equal((LifeLine.CommitWord, "12 100 7 8"), (read.Word, string.Join(' ', read.Numbers)));
        for (int length = 0; length < text.Length; length++) Assert.Null(LifeLine.Parse(text[..length], tellers: 2));
    }

    [Fact]
    public void The_picture_shows_throughput_commits_and_kills()
    {
        Notes notes = new(new BankOptions
        {
            Mode = Mode.Default, Accounts = 2, Sessions = 1, Duration = default, CommitEvery = default,
            Memory = default, Seed = 0,
        });
        notes.Samples.AddRange([(0, 50, 100), (50, 100, 50), (100, 150, 0)]);
        notes.Commits.Add((60, 80));
        notes.Kills.Add(149);
        string[] lines = ThroughputPicture.Of(notes).Split('\n');
        Assert.Equal("Transfers a second, up to 2,000; a column is 50 ms, = a commit, x a kill:", lines[0]);
        Assert.Equal("█▄ ", lines[1][..3]);
        Assert.Equal(" =x", lines[2][..3]);
    }
}
