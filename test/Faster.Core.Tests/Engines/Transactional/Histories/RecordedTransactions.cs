using Faster.Contracts;
using Faster.Engines.Transactional;

namespace Faster.Tests.Engines.Transactional.Histories;

/// <summary>The transactions that one session runs, and what they have seen. Not thread-safe.</summary>
/// <param name="session">The session.</param>
/// <param name="number">The session's number, in all values that it writes.</param>
/// <param name="keyOf">Makes a key of a number.</param>
internal sealed class RecordedTransactions<TKey>(TransactionalSession session, int number, Func<long, TKey> keyOf)
    where TKey : struct, IKey
{
    private long _last = (long)number << 32;

    /// <summary>What was committed, in order.</summary>
    public List<CommittedTransaction> Committed { get; } = [];

    /// <summary>The serial numbers of what was committed.</summary>
    public List<long> Serials { get; } = [];

    /// <summary>Runs a transaction that gives each record that it writes a new value.</summary>
    /// <param name="written">The records that are written.</param>
    /// <param name="read">The records that are read only.</param>
    /// <param name="commits">Whether it commits.</param>
    public void Run(long[] written, long[] read, bool commits = true)
    {
        CommittedTransaction? one = null;
        TransactionStatus status = session.Run(
            [.. written.Select(keyOf)], [.. read.Select(keyOf)],
            new TransactionCalls.LongTransaction(records =>
            {
                one = new CommittedTransaction([], []); // of the last attempt
                for (int i = 0; i < written.Length; i++)
                {
                    one.Reads[written[i]] = records.Read<long>(i);
                    one.Writes[written[i]] = records.Write<long>(i) = ++_last;
                }

                for (int i = 0; i < read.Length; i++) one.Reads[read[i]] = records.Read<long>(written.Length + i);
                return commits;
            }));
        Assert.Equal(commits ? TransactionStatus.Committed : TransactionStatus.Aborted, status);
        if (!commits) return;
        Committed.Add(one!);
        Serials.Add(session.SerialNumber);
    }

    /// <summary>Runs a transaction of random records.</summary>
    /// <param name="random">Draws them.</param>
    /// <param name="keys">The number of keys to draw from.</param>
    public void RunRandom(Random random, int keys)
    {
        long[] drawn = [.. Enumerable.Range(0, keys).Select(static key => (long)key)];
        random.Shuffle(drawn);
        int written = random.Next(4), read = random.Next(written == 0 ? 1 : 0, 4);
        int last = Math.Min(written + read, keys);
        Run(drawn[..written], drawn[written..last], random.Next(8) != 0);
    }
}
