using Bank.Commands;
using Bank.Lives;
using Bank.Transfers;
using Faster;

namespace Bank.Tests;

/// <summary>What the auditor finds in a store: it must not hold that all is well where it is not.</summary>
public sealed class AuditorTests : IDisposable
{
    private const int Accounts = 100;

    private static readonly BankOptions Options = new()
    {
        Mode = Mode.Default,
        Accounts = Accounts,
        Sessions = 2,
        Duration = TimeSpan.FromSeconds(1),
        CommitEvery = TimeSpan.FromMilliseconds(100),
        Memory = ByteSize.MiB(4),
        Seed = 7,
        Verify = true,
    };

    private readonly string _folder = Directory.CreateTempSubdirectory("bank-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_store_that_holds_what_the_plan_says_is_right() =>
        Assert.Empty(await AuditAsync(static _ => { }, 0, 0, 0));

    [Fact]
    public async Task A_point_below_a_promise_is_found()
    {
        string wrong = Assert.Single(await AuditAsync(static _ => { }, Accounts, 11, 10));
        Assert.Equal("Lost: session teller 1 stands at 10, though 11 was durable.", wrong);
    }

    [Fact]
    public async Task Money_that_is_lost_is_found()
    {
        List<string> wrong = await AuditAsync(static session => session.Upsert(5, 1), 0, 0, 0);
        Assert.Contains(wrong, static line => line.StartsWith("Account 5 has 1, ", StringComparison.Ordinal));
        Assert.Contains(wrong, static line => line.StartsWith("The sum is ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_transfer_too_many_is_found()
    {
        List<string> wrong = await AuditAsync(static session => _ = session.Transfer(5, 6, 1), 0, 0, 0);
        Assert.Equal(2, wrong.Count);
        Assert.StartsWith("Account ", wrong[0], StringComparison.Ordinal);
        Assert.Equal("2 accounts differ from what their transfers make.", wrong[1]);
    }

    [Fact]
    public async Task An_account_that_is_gone_is_found()
    {
        List<string> wrong = await AuditAsync(static session => session.Delete(5), 0, 0, 0);
        Assert.Contains("There are 99 accounts, though 100 were opened.", wrong);
    }

    // Ten transfers of each teller, then what the test does to the store.
    private async Task<List<string>> AuditAsync(Action<Transfers.Accounts.Session> harm, params long[] promised)
    {
        await using (Transfers.Accounts.Store store = await Transfers.Accounts.OpenAsync(_folder, Options.StoreOptions))
        {
            await using (Transfers.Accounts.Session opening = store.StartSession(Life.OpeningSession))
            {
                for (int account = 0; account < Accounts; account++)
                    opening.Upsert(account, Transfers.Accounts.OpeningBalance);
            }

            for (int teller = 0; teller < Options.Sessions; teller++)
            {
                await using Transfers.Accounts.Session session = store.StartSession(Teller.NameOf(teller));
                for (int number = 1; number <= 10; number++)
                {
                    Transfer next = Options.Plan[teller, number];
                    _ = session.Transfer(next.From, next.To, next.Amount);
                }
            }

            await using Transfers.Accounts.Session other = store.StartSession();
            harm(other);
        }

        return await new Auditor(Options, _folder).CheckAsync(promised, CancellationToken.None);
    }
}
