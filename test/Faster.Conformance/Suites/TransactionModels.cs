using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Suites;

/// <summary>Random transactions of one session do what they would do in a dictionary.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
public abstract class TransactionModels<TEngine>
    where TEngine : ITransactionEngine
{
    private const int Keys = 12;

    [Fact]
    public Task Random_transactions_do_the_same_to_a_dictionary() => Seeded.RunAsync(20, seed => Task.Run(async () =>
    {
        var random = new Random(seed);
        await using Accounts.IStore store = await TEngine.OpenAccountsAsync();
        await using Accounts.ISession session = store.StartSession();
        Dictionary<long, long> model = [];
        for (int step = 0; step < 300; step++)
        {
            long[] some = [.. Enumerable.Range(0, random.Next(1, 8)).Select(_ => (long)random.Next(Keys))];
            var form = (CallForm)random.Next(3);
            long amount = random.Next(-20, 40);
            await Step(random.Next(6), session, form, model, some, amount, random);
            long key = random.Next(Keys);
            Assert.Equal(model.TryGetValue(key, out long expected) ? expected : null, session.Balances(key)[0]);
        }

        long[] all = [.. Enumerable.Range(0, Keys).Select(static key => (long)key)];
        Assert.Equal((SumOf(model.Values), model.Count), await session.SumAsync(CallForm.Status, all));
    }));

    private static async Task Step(
        int what, Accounts.ISession session, CallForm form, Dictionary<long, long> model, long[] some, long amount,
        Random random)
    {
        long first = some[0], second = (first + 1 + random.Next(Keys - 1)) % Keys;
        switch (what)
        {
            case 0:
                Dictionary<long, long> after = new(model) { [first] = model.GetValueOrDefault(first) - amount };
                after[second] = after.GetValueOrDefault(second) + amount;
                Take(await session.TransferAsync(form, first, second, amount), after[first] >= 0, model, after);
                break;
            case 1:
                if (model.Remove(first, out long closed))
                    model[second] = model.GetValueOrDefault(second) + closed + second;
                await session.InheritAsync(form, first, second);
                break;
            case 2:
                Dictionary<long, long> paid = PayAll(model, second, some, amount);
                Take(
                    await session.PayAllAsync(form, second, some, some, amount), paid.GetValueOrDefault(second) >= 0,
                    model, paid);
                break;
            case 3:
                foreach (long key in some)
                {
                    if (!model.Remove(key, out long balance)) continue;
                    model[second] = model.GetValueOrDefault(second) + balance;
                }

                await session.EmptyAsync(form, some, second);
                break;
            case 4:
                long[] present = [.. some.Where(model.ContainsKey)];
                long sum = SumOf(present.Select(key => model[key]));
                Assert.Equal((sum, present.Length), await session.SumAsync(form, some));
                break;
            default:
                Dictionary<long, long> rotated = Rotate(model, some, out long moved);
                TransactionStatus status = session.Rotate(some, out long told);
                Assert.Equal(moved, told);
                Take(status, moved >= 0, model, rotated);
                break;
        }
    }

    // Balances multiply each other: the sum may wrap, as that of the transaction does.
    private static long SumOf(IEnumerable<long> balances) =>
        balances.Aggregate(0L, static (sum, balance) => unchecked(sum + balance));

    private static void Take(
        TransactionStatus status, bool commits, Dictionary<long, long> model, Dictionary<long, long> after)
    {
        Assert.Equal(commits ? TransactionStatus.Committed : TransactionStatus.Aborted, status);
        if (!commits) return;
        model.Clear();
        foreach ((long key, long value) in after) model[key] = value;
    }

    private static Dictionary<long, long> PayAll(Dictionary<long, long> model, long payer, long[] payees, long amount)
    {
        Dictionary<long, long> after = new(model);
        after.TryAdd(payer, 0);
        foreach (long payee in payees)
        {
            long paid = amount * after.GetValueOrDefault(payee);
            if (paid == 0) continue;
            after[payer] -= paid;
            after[payee] = after.GetValueOrDefault(payee) + paid;
        }

        return after;
    }

    private static Dictionary<long, long> Rotate(Dictionary<long, long> model, long[] keys, out long moved)
    {
        Dictionary<long, long> after = new(model);
        long? last = after.TryGetValue(keys[^1], out long value) ? value : null;
        moved = 0;
        foreach (long key in keys)
        {
            long? old = after.TryGetValue(key, out value) ? value : null;
            if (last is { } set) after[key] = set;
            else after.Remove(key);
            moved += last ?? 0;
            last = old;
        }

        return after;
    }
}
