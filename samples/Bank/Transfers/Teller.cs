using Faster;

namespace Bank.Transfers;

/// <summary>
/// A client of the bank: issues its transfers in the order of their numbers, in batches, from where the last commit has
/// left its session.
/// </summary>
/// <param name="session">Its session.</param>
/// <param name="teller">Its place among the tellers.</param>
/// <param name="plan">The transfers.</param>
internal sealed class Teller(Accounts.Session session, int teller, TransferPlan plan) : IDisposable
{
    /// <summary>How many transfers are issued together.</summary>
    private const int BatchSize = 64;

    private readonly long[] _from = new long[BatchSize], _to = new long[BatchSize], _amounts = new long[BatchSize];
    private readonly TransactionStatus[] _statuses = new TransactionStatus[BatchSize];
    private long _acknowledged = session.SerialNumber;

    /// <summary>The number of the last transfer that has returned. May be read beside the work.</summary>
    public long Acknowledged => Volatile.Read(ref _acknowledged);

    /// <summary>The name of a teller's session.</summary>
    public static string NameOf(int teller) => $"teller {teller + 1}";

    /// <summary>Works until it is stopped.</summary>
    /// <exception cref="InvalidDataException">A transfer has not ended as it must.</exception>
    public void Work(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            long first = session.SerialNumber + 1;
            for (int i = 0; i < BatchSize; i++) (_from[i], _to[i], _amounts[i]) = plan[teller, first + i];
            session.TransferBatch(_from, _to, _amounts, _statuses);
            for (int i = 0; i < BatchSize; i++) Check(first + i, _statuses[i]);
            Volatile.Write(ref _acknowledged, session.SerialNumber);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();

    private void Check(long number, TransactionStatus status)
    {
        TransactionStatus expected = plan[teller, number].IsRefused
            ? TransactionStatus.Aborted
            : TransactionStatus.Committed;
        if (status == expected) return;
        throw new InvalidDataException($"Transfer {number} of {NameOf(teller)} ended as {status}, not {expected}.");
    }
}
