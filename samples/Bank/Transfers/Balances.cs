namespace Bank.Transfers;

/// <summary>
/// What the store must hold: the balances after the first transfers of each teller, computed without a store. Transfers
/// commute, since a refusal depends on the amount alone.
/// </summary>
/// <param name="plan">The transfers.</param>
/// <param name="tellers">How many tellers there are.</param>
internal sealed class Balances(TransferPlan plan, int tellers)
{
    private readonly long[] _balances = new long[plan.Accounts];
    private readonly long[] _done = new long[tellers];

    /// <summary>How many accounts were opened.</summary>
    public long Opened { get; private set; }

    /// <summary>The balance of an account.</summary>
    public long this[long account] => _balances[account];

    /// <summary>Goes on to a later point.</summary>
    /// <param name="opened">How many accounts are opened by then.</param>
    /// <param name="points">The last number of each teller.</param>
    public void GoOnTo(long opened, ReadOnlySpan<long> points)
    {
        for (; Opened < opened; Opened++) _balances[Opened] += Accounts.OpeningBalance;
        for (int teller = 0; teller < tellers; teller++)
        {
            while (_done[teller] < points[teller])
            {
                Transfer next = plan[teller, ++_done[teller]];
                if (next.IsRefused) continue;
                _balances[next.From] -= next.Amount;
                _balances[next.To] += next.Amount;
            }
        }
    }
}
