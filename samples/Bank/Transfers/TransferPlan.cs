namespace Bank.Transfers;

/// <summary>
/// Every transfer of a run: a function of the teller and of the number that the transfer has in the teller's session.
/// So the points of a commit say which transfers it must have, and what each balance must be.
/// </summary>
/// <param name="accounts">How many accounts there are.</param>
/// <param name="seed">Chooses the transfers.</param>
internal sealed class TransferPlan(int accounts, int seed)
{
    private const long MostAmount = Transfers.Accounts.Limit + 4; // one transfer in 16 is refused

    /// <summary>How many accounts there are, from 0 on.</summary>
    public int Accounts => accounts;

    /// <summary>The transfer of a teller under a serial number.</summary>
    public Transfer this[int teller, long number]
    {
        get
        {
            ulong first = Scatter(((ulong)seed << 40) + ((ulong)teller << 32) + (ulong)number);
            ulong second = Scatter(first);
            long from = Below(accounts, first);
            long to = (from + 1 + Below(accounts - 1, second)) % accounts;
            return new Transfer(from, to, 1 + ((long)(second & 0xffff) % MostAmount));
        }
    }

    private static long Below(int count, ulong bits) => (long)Math.BigMul(bits, (ulong)count, out _);

    // Multiplications and shifts by turns, so that every bit depends on all of the number.
    private static ulong Scatter(ulong bits)
    {
        for (int round = 0; round < 3; round++)
        {
            bits = (bits ^ (bits >> 29)) * 0xd6e8feb86659fd93;
            bits ^= bits >> 32;
        }

        return bits + 1;
    }
}
