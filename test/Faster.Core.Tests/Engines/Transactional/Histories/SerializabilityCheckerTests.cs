namespace Faster.Tests.Engines.Transactional.Histories;

/// <summary>What the checker allows, and what it finds.</summary>
public sealed class SerializabilityCheckerTests
{
    [Theory]
    [InlineData("")]
    [InlineData("x:0>1 / x:1>2")]
    [InlineData("x:1>2 / x:0>1")]                     // the order of the list means nothing
    [InlineData("x:0>1 y:0>2 / x:1 y:2 / x:0 y:0")]
    [InlineData("x:0 y:0>1 / x:0>2 y:1")]             // one after the other
    [InlineData("x:0>1 ; y:0>2 / x:1 y:0 ; y:2")]
    public void A_history_of_one_order_is_accepted(string history) =>
        Assert.Null(SerializabilityChecker.FindViolation(Parse(history)));

    [Theory]
    [InlineData("x:0>1 / x:0>2", "Lost update")]
    [InlineData("x:0 y:0>1 / x:0>2 y:0", "cycle")]    // write skew
    [InlineData("x:0>1 y:0>2 / x:1 y:0", "cycle")]    // half of a transaction
    [InlineData("x:0>1 / y:0>2 / x:1 y:0 / x:0 y:2", "cycle")]
    [InlineData("x:0>1 ; x:1>2 / x:2 ; x:1", "cycle")] // a session goes back in time
    [InlineData("x:0>1 ; x:0", "cycle")]              // a session does not see its own write
    [InlineData("x:7", "Nobody")]
    [InlineData("x:1>1", "before")]
    public void A_history_of_no_order_is_found(string history, string what) =>
        Assert.Contains(what, SerializabilityChecker.FindViolation(Parse(history)), StringComparison.Ordinal);

    [Theory]
    [InlineData("x:0>1 y:0>2 / x:1>3", "0 0")]
    [InlineData("x:0>1 y:0>2 / x:1>3", "1 0 x:1 y:2")]
    [InlineData("x:0>1 y:0>2 / x:1>3", "1 1 x:3 y:2", "1 0 x:1 y:2")]
    [InlineData("x:0>1 / y:0>2", "0 1 x:0 y:2", "1 1 x:1 y:2")]
    public void Commits_of_one_order_are_accepted(string history, params string[] commits) =>
        Assert.Null(SerializabilityChecker.FindViolation(Parse(history), [.. commits.Select(ParseCommit)]));

    [Theory]
    [InlineData("x:0>1 / x:0>2", "Lost update", "0 0 x:0")]
    [InlineData("x:0>1 y:0>2", "cycle", "1 x:1 y:0")]            // half of a transaction
    [InlineData("x:0>1 y:0>2", "cycle", "0 x:0 y:2")]
    [InlineData("x:0>1 / x:1 y:0>2", "cycle", "0 1 x:0 y:2")]    // not closed: what one has read is lacked
    [InlineData("x:0>1 / x:1>2", "cycle", "0 1 x:2")]            // what one has replaced is lacked
    [InlineData("x:0 y:0>1 / x:0>2", "cycle", "0 1 x:2 y:0")]    // what has read an older value is lacked
    [InlineData("x:0>1 ; x:1>2", "cycle", "1 x:2")]              // beyond the point
    [InlineData("x:0>1 ; x:1>2", "cycle", "2 x:1")]              // lost
    [InlineData("x:0>1 / y:0>2", "cycle", "1 0 x:1 y:0", "0 1 x:0 y:2")] // two commits, no order
    [InlineData("x:0>1", "Nobody", "1 x:7")]
    public void Commits_of_no_order_are_found(string history, string what, params string[] commits) => Assert.Contains(
        what, SerializabilityChecker.FindViolation(Parse(history), [.. commits.Select(ParseCommit)]),
        StringComparison.Ordinal);

    // How many transactions of each session, then key:value.
    private static HistoryCommit ParseCommit(string text)
    {
        ILookup<bool, string> parts = text.Split(' ').ToLookup(static part => part.Contains(':'));
        return new HistoryCommit(
            [.. parts[false].Select(int.Parse)],
            parts[true].ToDictionary(static part => (long)part[0], static part => long.Parse(part[2..])));
    }

    // Sessions are parted by /, their transactions by ;. A transaction lists key:read or key:read>written.
    private static CommittedTransaction[][] Parse(string history) =>
        [.. history.Split('/', StringSplitOptions.TrimEntries).Select(static session =>
            session.Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
                .Select(ParseOne).ToArray())];

    private static CommittedTransaction ParseOne(string text)
    {
        var one = new CommittedTransaction([], []);
        foreach (string access in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            string[] values = access[2..].Split('>');
            one.Reads[access[0]] = long.Parse(values[0]);
            if (values.Length == 2) one.Writes[access[0]] = long.Parse(values[1]);
        }

        return one;
    }
}
