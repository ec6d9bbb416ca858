namespace Faster.Crash.Swarm;

/// <summary>The model of the swarm finds each operation that is missing or too many, and each wrong point.</summary>
public sealed class SwarmOracleTests
{
    private const int Operations = 60, Keys = 7;

    [Theory, InlineData(1), InlineData(2), InlineData(3)]
    public void Each_change_that_a_commit_lacks_is_seen(int seed)
    {
        SwarmHistory history = Random(seed, out List<SwarmOperation> issued);
        SwarmTold told = history.Tell(1, Points(history), history.Next);
        Assert.Null(history.Compare(told, Found(issued), time: 0, out long cut));
        Assert.Equal(history.Next, cut);
        int seen = 0;
        foreach (SwarmOperation left in issued)
        {
            Dictionary<int, SwarmFound> without = Found(issued.Where(o => o != left));
            bool changes = !Same(without, Found(issued));
            Assert.Equal(changes, history.Compare(told, without, time: 0, out _) is not null);
            if (changes) seen++;
        }

        Assert.True(seen > Keys, $"Only {seen} operations mattered.");
    }

    [Fact]
    public void Operations_after_a_point_must_not_be_in()
    {
        SwarmHistory history = Random(4, out List<SwarmOperation> issued);
        long covers = history.Next;
        CommitPoint[] points = Points(history);
        SwarmClient client = history.Known.First();
        SwarmOperation later = Put(history, client, Keys + 1);
        SwarmTold told = history.Tell(1, points, covers);
        Assert.Null(history.Compare(told, Found(issued), time: 0, out _));
        Assert.NotNull(history.Compare(told, Found([.. issued, later]), time: 0, out _));
    }

    [Fact]
    public void Of_a_session_without_a_name_a_commit_holds_a_prefix()
    {
        SwarmHistory history = Random(5, out List<SwarmOperation> issued);
        long covers = history.Next;
        CommitPoint[] points = Points(history);
        SwarmClient unnamed = history.Begin(null);
        SwarmOperation[] later = [.. Enumerable.Range(1, 3).Select(i => Put(history, unnamed, Keys + i))];
        SwarmTold told = history.Tell(1, points, covers);
        for (int taken = 0; taken <= later.Length; taken++)
            Assert.Null(history.Compare(told, Found(issued.Concat(later.Take(taken))), time: 0, out _));
        Assert.NotNull(history.Compare(told, Found(issued.Concat(later.Skip(1))), time: 0, out _));
    }

    [Fact]
    public void A_point_that_goes_back_is_seen()
    {
        var history = new SwarmHistory();
        SwarmClient client = history.Begin("a");
        _ = Put(history, client, 1);
        _ = Put(history, client, 2);
        history.Tell(1, [new CommitPoint("a", 2, 1)], history.Next);
        Assert.Equal(SwarmFault.StalePoint, FaultOf(() => history.Tell(2, [new CommitPoint("a", 1, 2)], 0)));
        Assert.Equal(SwarmFault.StalePoint, FaultOf(
            () => history.Tell(2, [new CommitPoint("a", 2, 2) { Excluded = [1] }], 0)));
        Assert.Equal(SwarmFault.StalePoint, FaultOf(() => history.Recovered(1, [new CommitPoint("a", 1, 1)])));
        Assert.Equal(SwarmFault.StalePoint, FaultOf(() => history.Recovered(1, [])));
    }

    [Fact]
    public void A_name_that_was_used_again_after_a_commit_means_the_old_client_in_it()
    {
        var history = new SwarmHistory();
        SwarmClient old = history.Begin("a");
        _ = Put(history, old, 1);
        _ = Put(history, old, 2);
        CommitPoint[] points = [new CommitPoint("a", 2, 1)];
        history.Tell(1, points, history.Next);
        history.Forget(old);
        SwarmClient next = history.Begin("a");
        Assert.NotSame(old, next);
        _ = Put(history, next, 3);
        Assert.Equal(SwarmFault.StalePoint, FaultOf(() => history.Recovered(1, [new CommitPoint("a", 1, 1)])));
        SwarmTold recovered = history.Recovered(1, points);
        Assert.Same(old, Assert.Single(recovered.Points).Key);
        history.Recover(recovered, cut: 3);
        Assert.Same(old, history.Begin("a"));
        Assert.Equal(2, old.Issued);
    }

    [Fact]
    public void Operations_that_a_recovery_left_out_must_stay_listed_until_their_session_goes_on()
    {
        var history = new SwarmHistory();
        SwarmClient client = history.Begin("a");
        _ = Put(history, client, 1);
        _ = Put(history, client, 2);
        SwarmTold told = history.Tell(1, [new CommitPoint("a", 2, 1) { Excluded = [1] }], history.Next);
        history.Recover(told, history.Next);
        Assert.Equal(SwarmFault.LostExclusion, FaultOf(() => history.Tell(2, [new CommitPoint("a", 2, 2)], 0)));
        history.Tell(3, [new CommitPoint("a", 2, 3) { Excluded = [1] }], 0);
    }

    [Fact]
    public void A_journal_tells_the_same_history()
    {
        List<string> lines = [];
        var history = new SwarmHistory { Journal = lines.Add };
        SwarmClient a = history.Begin("a"), b = history.Begin(null);
        List<SwarmOperation> issued = [Put(history, a, 1), Put(history, b, 2), Put(history, a, 3)];
        SwarmTold told = history.Tell(1, [new CommitPoint("a", 2, 1) { Excluded = [1] }], history.Next);
        history.Recover(told, history.Next);
        history.Forget(a);
        lines.Insert(2, lines[1][..5]); // a process was killed while it wrote a line
        SwarmHistory read = SwarmJournal.Read(lines, static _ => { });
        Assert.Equal(history.Next, read.Next);
        Assert.Empty(read.Known);
        Assert.Equal(told.Covers, read.LastTold!.Covers);
        Assert.Null(read.Compare(read.LastTold, Found(issued[1..]), time: 0, out _));
    }

    [Fact]
    public void An_acknowledged_operation_that_a_recovery_lacks_is_seen()
    {
        var history = new SwarmHistory { IsEachDurable = true };
        SwarmClient client = history.Begin("a");
        SwarmOperation[] issued = [.. Enumerable.Range(1, 5).Select(key => Put(history, client, key))];
        foreach (SwarmOperation done in issued[..4]) history.Acknowledge(client, done.Serial);
        Assert.Null(Compare(issued[..4], new CommitPoint("a", 4, 1)));
        Assert.Null(Compare(issued, new CommitPoint("a", 5, 1)));
        Assert.NotNull(Compare(issued, new CommitPoint("a", 4, 1)));
        Assert.NotNull(Compare(issued[..4], new CommitPoint("a", 5, 1)));
        Assert.NotNull(Compare(issued[..3], new CommitPoint("a", 3, 1)));
        Assert.NotNull(Compare(issued.Where(o => o.Serial != 2), new CommitPoint("a", 4, 1) { Excluded = [2] }));
        Assert.NotNull(Compare(issued.Where(o => o.Serial != 2), new CommitPoint("a", 4, 1)));

        string? Compare(IEnumerable<SwarmOperation> there, CommitPoint point) => history.CompareAcknowledged(
            history.Recovered(1, [point]), Found(there), time: 0, out _);
    }

    [Fact]
    public void Of_a_session_without_a_name_what_was_acknowledged_is_there_and_the_last_operation_may_be()
    {
        List<string> lines = [];
        var history = new SwarmHistory { IsEachDurable = true, Journal = lines.Add };
        SwarmClient unnamed = history.Begin(null);
        SwarmOperation done = Put(history, unnamed, 1);
        history.Acknowledge(unnamed);
        SwarmOperation last = Put(history, unnamed, 2);
        foreach (SwarmHistory one in new[] { history, SwarmJournal.Read(lines, static _ => { }, isEachDurable: true) })
        {
            SwarmTold told = one.Recovered(1, []);
            Assert.NotNull(one.FirstAcknowledged);
            Assert.Null(one.CompareAcknowledged(told, Found([done]), time: 0, out long without));
            Assert.Equal(last.Number, without);
            Assert.Null(one.CompareAcknowledged(told, Found([done, last]), time: 0, out long with));
            Assert.Equal(one.Next, with);
            Assert.NotNull(one.CompareAcknowledged(told, Found([last]), time: 0, out _));
            Assert.NotNull(one.CompareAcknowledged(told, Found([]), time: 0, out _));
        }
    }

    private static SwarmFault? FaultOf(Action act) => (Record.Exception(act) as SwarmViolation)?.Fault;

    private static SwarmOperation Put(SwarmHistory history, SwarmClient client, int key) => history.Issue(
        new SwarmOperation(0, client, client.Issued + 1, SwarmAct.Put, key, (uint)history.Next, 20, 0, 0));

    private static SwarmHistory Random(int seed, out List<SwarmOperation> issued)
    {
        var history = new SwarmHistory();
        var random = new Random(seed);
        SwarmClient?[] clients = [history.Begin("a"), history.Begin("b"), history.Begin(null)];
        issued = [];
        for (int i = 0; i < Operations; i++)
        {
            SwarmClient client = clients[random.Next(clients.Length)]!;
            issued.Add(history.Issue(new SwarmOperation(
                0, client, client.Issued + 1, (SwarmAct)random.Next(4), random.Next(Keys), (uint)random.Next(),
                random.Next(40), 0, 0)));
        }

        return history;
    }

    private static CommitPoint[] Points(SwarmHistory history) =>
        [.. history.Known.Select(static client => new CommitPoint(client.Name, client.Issued, 1))];

    private static Dictionary<int, SwarmFound> Found(IEnumerable<SwarmOperation> operations)
    {
        var state = new SwarmState();
        foreach (SwarmOperation operation in operations) state.Apply(operation);
        return state.Keys.ToDictionary(
            key => key, key => new SwarmFound(state.Find(key, 0)!.Length, state.Find(key, 0)!.Hash));
    }

    private static bool Same(Dictionary<int, SwarmFound> one, Dictionary<int, SwarmFound> other) =>
        one.Count == other.Count && one.All(pair => other.TryGetValue(pair.Key, out SwarmFound it) && it == pair.Value);
}
