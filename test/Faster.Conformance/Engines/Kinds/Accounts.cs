using Faster.Conformance.Engines.Latched;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>Balances, with a transaction for each kind of parameter.</summary>
[Store(
    Engine = typeof(LatchedEngine), Also = [typeof(TransactionalEngine)], Key = typeof(long), Value = typeof(long))]
public static partial class Accounts
{
    [Transaction]
    private static bool Transfer(ref long from, ref long to, long amount)
    {
        from -= amount;
        to += amount;
        return from >= 0;
    }

    [Transaction]
    private static void Audit(in long first, in long second, out long sum) => sum = first + second;

    [Transaction]
    private static void Inherit(ref long? account, ref long? heir, [KeyOf(nameof(heir))] long key)
    {
        if (account is not null) heir = (heir ?? 0) + account + key;
        account = null;
    }

    [Transaction]
    private static bool PayAll(ref long payer, Records<long> payees, ReadOnlyRecords<long> rates, long amount)
    {
        for (int i = 0; i < payees.Count; i++)
        {
            long paid = amount * rates[i % rates.Count];
            if (paid == 0) continue;
            payer -= paid;
            payees[i] += paid;
        }

        return payer >= 0;
    }

    [Transaction]
    private static void Sum(ReadOnlyRecords<long?> accounts, out (long Sum, int Present) total)
    {
        total = default;
        for (int i = 0; i < accounts.Count; i++)
        {
            if (accounts[i] is not { } balance) continue;
            total = (total.Sum + balance, total.Present + 1);
        }
    }

    [Transaction]
    private static void Empty(Records<long?> accounts, ref long? into)
    {
        for (int i = 0; i < accounts.Count; i++)
        {
            if (accounts[i] is not { } balance) continue;
            accounts[i] = null;
            into = (into ?? 0) + balance;
        }
    }

    [Transaction]
    private static bool Withdraw(ref long account, Func<long, long> amount, out long left)
    {
        account -= amount(account);
        left = account;
        return left >= 0;
    }

    [Transaction]
    private static bool Rotate(Transaction<long, long> all, long[] keys, out long moved)
    {
        ReadResult<long> last = all.ReadForWrite(keys[^1]);
        moved = 0;
        foreach (long key in keys)
        {
            ReadResult<long> old = all.Read(key);
            if (!last.Found) _ = all.Delete(key);
            else all.Write(key, last.Value);
            if (all.Read(key) != last) throw new InvalidOperationException("A transaction reads what it has written.");
            moved += last.Value;
            last = old;
        }

        return moved >= 0;
    }
}
