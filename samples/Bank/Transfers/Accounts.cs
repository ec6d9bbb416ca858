using Faster;

namespace Bank.Transfers;

/// <summary>The accounts: balances by number. An account may be overdrawn.</summary>
[Store(Engine = typeof(TransactionalEngine), Key = typeof(long))]
internal static partial class Accounts
{
    /// <summary>What each account has when it is opened.</summary>
    public const long OpeningBalance = 1000;

    /// <summary>The most that one transfer may move.</summary>
    public const long Limit = 60;

    [Transaction]
    private static bool Transfer(ref long from, ref long to, long amount)
    {
        if (amount > Limit) return false;
        from -= amount;
        to += amount;
        return true;
    }
}
