using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>Read-modify-writes return the output of the update that took effect, in each form.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
public abstract class UpdateOutputs<TEngine> : ConformanceSuite<TEngine, long, long>
    where TEngine : ICellEngine
{
    private const int Forms = 3, Threads = 4;

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Random_updates_return_what_those_of_a_dictionary_return(string shape) =>
        Seeded.RunAsync(3, seed => WithStore(shape, async store =>
        {
            await using var session = (ICellSession)store.StartSession();
            var random = new Random(seed);
            Dictionary<long, long> model = NewModel();
            int fill = BulkyRecords(shape, 1.5) / 200;
            for (int step = 0; step < 200; step++)
            {
                long[] keys = [.. Enumerable.Range(0, random.Next(1, 20)).Select(_ => (long)random.Next(40))];
                if (random.Next(5) == 0)
                {
                    session.DeleteBatch(keys);
                    foreach (long key in keys) model.Remove(key);
                    continue;
                }

                CellInput[] inputs = [.. keys.Select(_ => new CellInput(
                    (CellAction)random.Next(3), random.Next(4), random.Next(4)))];
                RmwResult<long>[] results = Update(session, random.Next(Forms), keys, inputs);
                for (int i = 0; i < keys.Length; i++)
                {
                    RmwResult<long> expected = Expect(model, keys[i], inputs[i]);
                    Assert.True(expected == results[i], $"{inputs[i]} returned {results[i]}, expected {expected}.");
                }

                Fill(session, 1_000_000 + ((long)step * fill), fill);
            }
        }));

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Numbers_that_threads_draw_from_counters_are_unique_and_dense(string shape) =>
        Seeded.RunAsync(1, seed => WithStore(shape, async store =>
        {
            const int Keys = 5, PerThread = 600;
            int fill = BulkyRecords(shape, 1.5) / (Threads * PerThread);
            var drawn = new List<long>[Threads, Keys];
            int created = 0;
            Workers.Run(Threads, worker => UseSession(store, plain =>
            {
                var session = (ICellSession)plain;
                var random = new Random((seed * Threads) + worker);
                for (int key = 0; key < Keys; key++) drawn[worker, key] = [];
                for (int i = 0; i < PerThread; i++)
                {
                    long[] keys = [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => (long)random.Next(Keys))];
                    CellInput[] inputs = [.. keys.Select(static _ => new CellInput(CellAction.Add, 1))];
                    RmwResult<long>[] results = Update(session, random.Next(Forms), keys, inputs);
                    for (int j = 0; j < keys.Length; j++)
                    {
                        drawn[worker, keys[j]].Add(results[j].Value);
                        if (results[j].Created) Interlocked.Increment(ref created);
                    }

                    Fill(session, 1_000_000_000L * (worker + 1) + ((long)i * fill), fill);
                }
            }));
            await using ISessionUnderTest<long, long> reader = store.StartSession();
            for (int key = 0; key < Keys; key++)
            {
                long[] all = [.. Enumerable.Range(0, Threads).SelectMany(worker => drawn[worker, key]).Order()];
                bool isDense = all.SequenceEqual(Enumerable.Range(1, all.Length).Select(static i => (long)i));
                Assert.True(isDense, $"The numbers of counter {key} are not unique and dense.");
                AssertFound(all.Length, reader.ReadNow(key), $"counter {key}");
            }

            Assert.Equal(Keys, created);
        }, expectedKeys: 0));

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Sums_by_compare_and_swap_are_exact(string shape) =>
        Seeded.RunAsync(1, _ => WithStore(shape, async store =>
        {
            const int PerThread = 500;
            Workers.Run(Threads, worker => UseSession(store, plain =>
            {
                var session = (ICellSession)plain;
                long seen = 0;
                for (int i = 0; i < PerThread; i++)
                {
                    for (;;)
                    {
                        var swap = new CellInput(CellAction.CompareAndSwap, seen + 1, seen);
                        RmwResult<long> result = Update(session, (i + worker) % Forms, [1], [swap])[0];
                        bool isSwapped = result.Created || result.Value == seen;
                        seen = isSwapped ? (result.Created ? swap.Operand : seen + 1) : result.Value;
                        if (isSwapped) break;
                    }
                }
            }));
            await using ISessionUnderTest<long, long> reader = store.StartSession();
            AssertFound(Threads * PerThread, reader.ReadNow(1), "the sum");
        }));

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Threads_that_get_or_add_get_the_one_value_that_was_added(string shape) =>
        Seeded.RunAsync(1, _ => WithStore(shape, async store =>
        {
            const int Keys = 600;
            var results = new RmwResult<long>[Threads, Keys];
            var rendezvous = new Rendezvous(Threads);
            Workers.Run(Threads, worker => UseSession(store, session =>
            {
                for (int key = 0; key < Keys; key++)
                {
                    if (key % 6 == 0) rendezvous.Meet(key / 6);
                    var input = new CellInput(CellAction.GetOrAdd, (key * Threads) + worker);
                    results[worker, key] = Update((ICellSession)session, key % Forms, [key], [input])[0];
                }
            }));
            await using ISessionUnderTest<long, long> reader = store.StartSession();
            for (int key = 0; key < Keys; key++)
            {
                RmwResult<long>[] all = [.. Enumerable.Range(0, Threads).Select(worker => results[worker, key])];
                int creator = Array.FindIndex(all, static result => result.Created);
                Assert.True(all.Count(static result => result.Created) == 1, $"Key {key} was not added once.");
                Assert.True(
                    all.All(result => result.Value == (key * Threads) + creator),
                    $"Key {key} was added by {creator}; returned were {string.Join(", ", all)}.");
                AssertFound((key * Threads) + creator, reader.ReadNow(key), $"key {key}");
            }
        }, expectedKeys: 0));

    private static RmwResult<long> Expect(Dictionary<long, long> model, long key, CellInput input)
    {
        bool exists = model.TryGetValue(key, out long old);
        model[key] = exists ? input.Update(old, out long output) : input.Start(out output);
        return new RmwResult<long>(!exists, output);
    }

    // By the status form, the awaited form, or a batch.
    private static RmwResult<long>[] Update(ICellSession session, int form, long[] keys, CellInput[] inputs)
    {
        var results = new RmwResult<long>[keys.Length];
        if (form == 2) session.RmwBatch(keys, inputs, results);
        for (int i = 0; i < keys.Length && form != 2; i++)
        {
            results[i] = form == 0
                ? UpdateNow(session, keys[i], inputs[i])
                : session.RmwAsync(keys[i], inputs[i]).AsTask().GetAwaiter().GetResult();
        }

        return results;
    }

    private static RmwResult<long> UpdateNow(ICellSession session, long key, CellInput input)
    {
        var ticket = new PendingTicket<long>();
        Status status = session.Rmw(key, input, out long output, ticket);
        if (status != Status.Pending) return new RmwResult<long>(status == Status.Created, output);
        Assert.Equal(0, output);
        Assert.True(session.CompletePending(wait: true), "CompletePending(wait: true) left operations pending.");
        ticket.AssertDone();
        return new RmwResult<long>(ticket.Status == Status.Created, ticket.Value);
    }
}
