namespace Bank.Transfers;

/// <summary>One transfer.</summary>
/// <param name="From">The account that pays.</param>
/// <param name="To">The account that is paid.</param>
/// <param name="Amount">How much; beyond <see cref="Accounts.Limit"/> it is refused.</param>
internal readonly record struct Transfer(long From, long To, long Amount)
{
    /// <summary>Whether the bank refuses it.</summary>
    public bool IsRefused => Amount > Accounts.Limit;
}
