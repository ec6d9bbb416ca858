using System.Globalization;
using Bank.Commands;
using Bank.Transfers;
using Faster;

namespace Bank.Lives;

/// <summary>
/// Opens the store after each life, and looks whether it holds what it must: the sum, everything that was promised, and
/// where asked for every balance.
/// </summary>
internal sealed class Auditor(BankOptions options, string folder)
{
    private readonly Balances? _balances = options.Verify ? new Balances(options.Plan, options.Sessions) : null;

    /// <summary>The last numbers of the tellers that the store held at the last audit.</summary>
    public long[] Held { get; private set; } = new long[options.Sessions];

    /// <summary>Checks the store.</summary>
    /// <param name="promised">The least points of opening and tellers.</param>
    /// <param name="cancellation">Ends it.</param>
    /// <returns>What is wrong.</returns>
    public async Task<List<string>> CheckAsync(long[] promised, CancellationToken cancellation)
    {
        TransactionalOptions unchanged = options.StoreOptions with
        {
            CommitEvery = TimeSpan.Zero, CommitOnDispose = false,
        };
        await using Accounts.Store store = await Accounts.OpenAsync(folder, unchanged, cancellation);
        long[] points = LifeLine.PointsOf(store.Recovery?.Sessions ?? [], options.Sessions);
        Held = points[1..];
        List<string> wrong = [];
        for (int i = 0; i < points.Length; i++)
        {
            if (points[i] >= promised[i]) continue;
            string name = i == 0 ? Life.OpeningSession : Teller.NameOf(i - 1);
            wrong.Add(Text($"Lost: session {name} stands at {points[i]}, though {promised[i]} was durable."));
        }

        _balances?.GoOnTo(points[0], Held);
        await CheckBalancesAsync(store, points[0], wrong, cancellation);
        return wrong;
    }

    private async Task CheckBalancesAsync(
        Accounts.Store store, long opened, List<string> wrong, CancellationToken cancellation)
    {
        long sum = 0, count = 0, different = 0;
        await foreach (Accounts.Record account in store.ScanAsync(cancellationToken: cancellation))
        {
            sum += account.Value;
            count++;
            if (_balances is null || _balances[account.Key] == account.Value || different++ > 0) continue;
            wrong.Add(Text(
                $"Account {account.Key} has {account.Value}, though its transfers make {_balances[account.Key]}."));
        }

        if (different > 1) wrong.Add(Text($"{different} accounts differ from what their transfers make."));
        if (count != opened) wrong.Add(Text($"There are {count} accounts, though {opened} were opened."));
        long expected = opened * Accounts.OpeningBalance;
        if (sum != expected) wrong.Add(Text($"The sum is {sum}, not {expected}."));
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
