using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>Pending operations: each completes once, with its own outcome, and waiting completes all.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class Completions<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    private const int Keys = 400;

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task With_nothing_pending_there_is_nothing_to_complete(string shape) => WithSession(shape, session =>
    {
        Assert.True(session.CompletePending(wait: false));
        Assert.True(session.CompletePending(wait: true));
    });

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Each_pending_read_is_told_once_what_it_found(string shape) => WithSession(shape, session =>
    {
        MakeColdKeys(session, shape);
        int pending = 0;
        for (int first = 0; first < Keys; first += 40)
        {
            List<(int Key, PendingTicket<TValue> Ticket)> asked = [];
            for (int key = first; key < first + 40; key++)
            {
                var ticket = new PendingTicket<TValue>();
                Status status = session.Read(Flavor.Key(key), out TValue value, ticket);
                if (status == Status.Pending) asked.Add((key, ticket));
                else AssertFound(Flavor.Bulky(key), new(status == Status.Ok, value), $"key {key}, at once");
            }

            Assert.True(session.CompletePending(wait: true));
            AssertToldOnce(asked);
            Assert.True(session.CompletePending(wait: true));
            AssertToldOnce(asked);
            pending += asked.Count;
        }

        AssertSomeWerePending(shape, pending);
    });

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Each_pending_rmw_is_told_once_and_updates_once(string shape) => WithSession(shape, session =>
    {
        MakeColdKeys(session, shape);
        int pending = 0;
        for (int first = 0; first < Keys; first += 40)
        {
            List<PendingTicket<TValue>> asked = [];
            for (int key = first; key < first + 40; key++)
            {
                var ticket = new PendingTicket<TValue>();
                if (session.Rmw(Flavor.Key(key), Flavor.Input(key), ticket) == Status.Pending) asked.Add(ticket);
                else Assert.Equal(0, ticket.Calls);
            }

            Assert.True(session.CompletePending(wait: true));
            asked.ForEach(ticket => ticket.AssertDone());
            pending += asked.Count;
        }

        if (TEngine.RmwReadsDisk) AssertSomeWerePending(shape, pending);
        else Assert.Equal(0, pending);
        for (int key = 0; key < Keys; key++)
        {
            TValue expected = Flavor.Model.Update(Flavor.Bulky(key), Flavor.Input(key));
            AssertFound(expected, session.ReadNow(Flavor.Key(key)), $"key {key}");
        }
    });

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Pending_reads_of_absent_keys_say_that_they_are_absent(string shape) => WithSession(shape, session =>
    {
        MakeColdKeys(session, shape);
        for (int key = 0; key < Keys; key += 2) _ = session.DeleteNow(Flavor.Key(key));
        Fill(session, 2_000_000, BulkyRecords(shape, 1.5));
        for (int key = 0; key < Keys; key++)
        {
            ReadResult<TValue> read = session.ReadNow(Flavor.Key(key));
            if (key % 2 == 1) AssertFound(Flavor.Bulky(key), read, $"key {key}, not deleted");
            else Assert.False(read.Found, $"Key {key} was deleted and is found.");
        }
    });

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Completing_without_waiting_gets_there_in_the_end(string shape) => WithSession(shape, session =>
    {
        MakeColdKeys(session, shape);
        List<(int Key, PendingTicket<TValue> Ticket)> asked = [];
        for (int key = 0; key < 40; key++)
        {
            var ticket = new PendingTicket<TValue>();
            if (session.Read(Flavor.Key(key), out _, ticket) == Status.Pending) asked.Add((key, ticket));
        }

        while (!session.CompletePending(wait: false)) Thread.Yield();
        AssertToldOnce(asked);
    });

    private static void MakeColdKeys(ISessionUnderTest<TKey, TValue> session, string shape)
    {
        Fill(session, 0, Keys);
        Fill(session, 1_000_000, BulkyRecords(shape, 1.5));
    }

    private static void AssertToldOnce(List<(int Key, PendingTicket<TValue> Ticket)> asked)
    {
        foreach ((int key, PendingTicket<TValue> ticket) in asked)
        {
            ticket.AssertDone();
            AssertFound(Flavor.Bulky(key), new(ticket.Status == Status.Ok, ticket.Value!), $"key {key}, pending");
        }
    }

    private static void AssertSomeWerePending(string shape, int pending)
    {
        if (ShapeOf(shape).Spills) Assert.True(pending > 0, "Nothing went pending: the test shows nothing.");
    }
}
