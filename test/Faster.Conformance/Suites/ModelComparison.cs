using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>Random operations in all forms, with others left pending, give what a dictionary gives.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class ModelComparison<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Random_operations_give_what_a_dictionary_gives(string shape) =>
        Seeded.RunAsync(2, seed => WithStore(shape, async store =>
        {
            await using ISessionUnderTest<TKey, TValue> session = store.StartSession();
            await new Player(session, seed, FillCount(shape)).PlayAsync(2_000);
        }, expectedKeys: seed % 2 == 0 ? 10_000 : 0));

    private static int FillCount(string shape) => BulkyRecords(shape, 1.0 / 16);

    /// <summary>One seeded run of operations against a session and a dictionary side by side.</summary>
    private sealed class Player(ISessionUnderTest<TKey, TValue> session, int seed, int fillCount)
    {
        private readonly Random _random = new(seed);
        private readonly Dictionary<TKey, TValue> _model = NewModel();
        private readonly Dictionary<TKey, (PendingTicket<TValue> Ticket, Action Check)> _pending =
            new(Flavor.KeyEquality);
        private long _nextFiller = 1_000_000_000;

        public async Task PlayAsync(int steps)
        {
            for (int step = 0; step < steps; step++)
            {
                TKey key = Flavor.Key(_random.Next(300));
                if (_pending.ContainsKey(key) || _pending.Count > 32 || _random.Next(40) == 0) CompleteAll();
                if (_random.Next(40) == 0) FillSome();
                session.Prefetch(Flavor.Key(_random.Next(600))); // half of them never exist
                if (_random.Next(4) == 0) await StepAsync(step, key);
                else Step(step, key);
            }

            CompleteAll();
            for (int key = 0; key < 300; key++)
                AssertSame(_model, Flavor.Key(key), session.ReadNow(Flavor.Key(key)), $"key {key} at the end");
        }

        private void Step(int step, TKey key)
        {
            var ticket = new PendingTicket<TValue>();
            switch (_random.Next(8))
            {
                case 0 or 1:
                    _model[key] = Flavor.Value(step);
                    Expect(step, key, session.Upsert(key, Flavor.Value(step), ticket), ticket, () => { });
                    break;
                case 2 or 3:
                    Update(key, Flavor.Input(step));
                    Expect(step, key, session.Rmw(key, Flavor.Input(step), ticket), ticket, () => { });
                    break;
                case 4:
                    bool existed = _model.Remove(key);
                    Status deleted = session.Delete(key, ticket);
                    Assert.False(existed && deleted == Status.NotFound, $"Step {step}: a delete did not find the key.");
                    Expect(step, key, deleted, ticket, () => { });
                    break;
                default:
                    Status status = session.Read(key, out TValue value, ticket);
                    if (status != Status.Pending)
                        AssertSame(_model, key, new(status == Status.Ok, value), $"step {step}");
                    Expect(step, key, status, ticket, () => AssertSame(
                        _model, key, new(ticket.Status == Status.Ok, ticket.Value!), $"step {step}, pending"));
                    break;
            }
        }

        private async Task StepAsync(int step, TKey key)
        {
            switch (_random.Next(5))
            {
                case 0:
                    await session.UpsertAsync(key, _model[key] = Flavor.Value(step));
                    break;
                case 1:
                    Update(key, Flavor.Input(step));
                    await session.RmwAsync(key, Flavor.Input(step));
                    break;
                case 2:
                    _model.Remove(key);
                    await session.DeleteAsync(key);
                    break;
                default:
                    AssertSame(_model, key, await session.ReadAsync(key), $"step {step}, async");
                    break;
            }
        }

        private void Expect(int step, TKey key, Status status, PendingTicket<TValue> ticket, Action check)
        {
            if (status == Status.Pending) _pending.Add(key, (ticket, check));
            else Assert.True(ticket.Calls == 0, $"Step {step} returned {status} and called its completion callback.");
        }

        private void CompleteAll()
        {
            Assert.True(session.CompletePending(wait: true));
            foreach ((PendingTicket<TValue> ticket, Action check) in _pending.Values)
            {
                ticket.AssertDone();
                check();
            }

            _pending.Clear();
        }

        private void FillSome()
        {
            Fill(session, _nextFiller, fillCount);
            _nextFiller += fillCount;
            CompleteAll();
        }

        private void Update(TKey key, TValue input) =>
            _model[key] = _model.TryGetValue(key, out TValue? old) ? Flavor.Model.Update(old, input) : input;
    }
}
