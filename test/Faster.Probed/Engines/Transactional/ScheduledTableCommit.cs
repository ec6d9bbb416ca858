using System.Globalization;
using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Transactional;

/// <summary>
/// A commit of a transactional store under a controlled scheduler, beside transactions: each adds a power of two of its
/// own to what it writes, so a value tells which of them are in it, and each notes what it has found.
/// </summary>
/// <remarks>
/// A commit must hold a prefix of each session, all of each transaction, and all that one of its transactions
/// has built on.
/// </remarks>
internal sealed class ScheduledTableCommit : IDisposable
{
    public const string NoPrefix = "A commit holds something else than what its points say",
        NotClosed = "A commit holds a transaction that comes after one that it lacks",
        Twice = ScheduledCapture.Twice,
        MadeAnew = "A commit holds a record that was made after a deletion that it lacks";

    private readonly TransactionalSession[] _sessions;
    private readonly List<Done>[] _done;
    private readonly ScheduledCapture _capture;

    public ScheduledTableCommit(int sessions, TransactionalOptions? options = null)
    {
        Store = TransactionCalls.Open(
            (options ?? new()) with { MemoryBudget = TransactionalOptions.MinMemoryBudget });
        _sessions = [.. Enumerable.Range(0, sessions)
            .Select(number => Store.StartSession(number.ToString(CultureInfo.InvariantCulture)))];
        _done = [.. _sessions.Select(static _ => new List<Done>())];
        _capture = new ScheduledCapture(Store);
    }

    public TransactionalStore Store { get; }

    /// <summary>A scenario of some clients and a commit.</summary>
    public Scenario Beside(params Action[] clients) => new(
        [.. clients, () => _capture.Run()],
        () =>
        {
            Check();
            Dispose();
        });

    /// <summary>The next transaction of a client: adds its power of two to some records, and reads others.</summary>
    public void Run(int client, long[] written, params long[] read)
    {
        long[] seen = new long[written.Length + read.Length];
        long bit = BitOf(client, _done[client].Count);
        TransactionStatus status = _sessions[client].Run(
            [.. written.Select(KeyOf)], [.. read.Select(KeyOf)], new TransactionCalls.LongTransaction(records =>
            {
                for (int i = 0; i < seen.Length; i++)
                {
                    seen[i] = records.Exists(i) ? records.Read<long>(i) : 0;
                    if (i < written.Length) records.Write<long>(i) = seen[i] | bit;
                }

                return true;
            }));
        Assert.Equal(TransactionStatus.Committed, status);
        _done[client].Add(new Done(bit, written, [.. written, .. read], seen));
    }

    /// <summary>As <see cref="Run"/> with one record, by an operation on a single key.</summary>
    public void Add(int client, long key)
    {
        long bit = BitOf(client, _done[client].Count);
        var add = new ProbedOperations.Add<WordShape>(bit, 8);
        _ = _sessions[client].Rmw(KeyOf(key), ref add);
        _done[client].Add(new Done(bit, [key], [], []));
    }

    /// <summary>Reads a record, by an operation on a single key.</summary>
    public void Get(int client, long key)
    {
        var get = default(ProbedOperations.Get<WordShape>);
        bool found = _sessions[client].Read(KeyOf(key), ref get) == Status.Ok;
        _done[client].Add(new Done(BitOf(client, _done[client].Count), [], [key], [found ? get.Value : 0]));
    }

    /// <summary>Deletes a record that a first transaction has made: those that come later find none.</summary>
    public void Remove(int client, long key)
    {
        var remove = default(ProbedOperations.Remove<WordShape>);
        _ = _sessions[client].Delete(KeyOf(key), ref remove);
        _done[client].Add(new Done(BitOf(client, _done[client].Count), [], [], [], Removed: key));
    }

    public void Dispose()
    {
        foreach (TransactionalSession session in _sessions) session.Dispose();
        Store.Dispose();
    }

    // Whether one after the first has found nothing.
    private static bool IsAnew(Done one) => one.Bit != 1 && one.Seen[0] == 0;

    private static long BitOf(int client, int number) => 1L << ((client * 8) + number);

    // With the hash of the store: the sweep follows it.
    private ChainKey KeyOf(long key) => new(key, new UnmanagedKey<long>(key).Hash(Store.Tier.Seed));

    private int PointOf(int client) => (int)_capture.Points.GetValueOrDefault(client);

    private void Check()
    {
        Done[] held = [.. _done.SelectMany((done, client) => done.Take(PointOf(client)))];
        Done[] lacked = [.. _done.SelectMany((done, client) => done.Skip(PointOf(client)))];
        foreach (long key in _done.SelectMany(static done => done).SelectMany(static one => one.Written).Distinct())
        {
            IEnumerable<Done> writers = held.Where(one => one.Written.Contains(key));
            if (lacked.Any(one => one.Removed == key)) Assert.False(writers.Any(IsAnew), MadeAnew);
            if (held.Any(one => one.Removed == key)) writers = writers.Where(IsAnew);
            Assert.True(writers.Sum(static one => one.Bit) == _capture.Records.GetValueOrDefault(key), NoPrefix);
        }

        foreach (Done one in lacked)
        {
            for (int i = 0; i < one.Keys.Length; i++)
            {
                if (IsRemoved(one.Keys[i])) continue; // what a deletion has taken is not seen
                long missed = held.Where(other => other.Written.Contains(one.Keys[i])).Sum(static other => other.Bit);
                Assert.True((one.Seen[i] & missed) == missed, NotClosed);
            }
        }

        foreach (Done one in held)
        {
            for (int i = 0; i < one.Keys.Length; i++)
            {
                long early = lacked.Where(other => other.Written.Contains(one.Keys[i])).Sum(static other => other.Bit);
                Assert.True((one.Seen[i] & early) == 0, NotClosed);
            }
        }
    }

    private bool IsRemoved(long key) => _done.Any(done => done.Any(one => one.Removed == key));

    private sealed record Done(long Bit, long[] Written, long[] Keys, long[] Seen, long Removed = -1);
}
