using Faster.Contracts;
using Faster.LogSessions;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines;

/// <summary>A session of long → long, with each call taken to its end.</summary>
internal static class CounterSession
{
    public static void Put(this HashSession session, long key, long value)
    {
        var operation = new Upsert(value);
        Status status = session.Upsert(Key(key), ref operation);
        if (status == Status.Pending) session.CompletePending(wait: true); // or later ones overtake it
        else Assert.Equal(Status.Ok, status);
    }

    public static void AddTo(this HashSession session, long key, long amount)
    {
        var outcome = new CounterOperations.Outcome();
        var operation = new Add(amount, outcome);
        if (session.Rmw(Key(key), ref operation) != Status.Pending) return;
        session.CompletePending(wait: true);
        Assert.Equal(1, outcome.Completions);
        Assert.Null(outcome.Error);
    }

    public static long? Get(this HashSession session, long key)
    {
        var outcome = new CounterOperations.Outcome();
        var operation = new Read(outcome);
        Status status = session.Read(Key(key), ref operation);
        if (status != Status.Pending) return status == Status.Ok ? operation.Value : null;
        session.CompletePending(wait: true);
        Assert.Equal(1, outcome.Completions);
        Assert.Null(outcome.Error);
        return outcome.Status == Status.Ok ? outcome.Value : null;
    }

    public static Status Remove(this HashSession session, long key)
    {
        var operation = new Delete();
        Status status = session.Delete(Key(key), ref operation);
        if (status == Status.Pending) session.CompletePending(wait: true);
        return status;
    }
}
