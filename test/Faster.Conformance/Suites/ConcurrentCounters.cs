using Faster.Conformance.Contract;

namespace Faster.Conformance.Suites;

/// <summary>Increments by many threads sum exactly: no update is lost, none is made twice.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public abstract class ConcurrentCounters<TEngine, TKey, TValue> : ConformanceSuite<TEngine, TKey, TValue>
    where TEngine : IEngineUnderTest<TKey, TValue>
    where TKey : notnull
{
    private const int Threads = 4;

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Increments_of_few_keys_sum_exactly(string shape) =>
        CountAsync(shape, keys: 5, perThread: 4_000, skew: 1);

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Skewed_increments_sum_exactly(string shape) =>
        CountAsync(shape, keys: 300, perThread: 4_000, skew: 4);

    [Theory]
    [MemberData(nameof(Shapes))]
    public Task Increments_sum_exactly_while_the_log_shifts_and_spills(string shape) =>
        CountAsync(shape, keys: 1_000, perThread: 2_500, skew: 2, fill: BulkyRecords(shape, 2) / Threads);

    private Task CountAsync(string shape, int keys, int perThread, double skew, int fill = 0) =>
        Seeded.RunAsync(1, seed => WithStore(shape, async store =>
        {
            // The hottest key gets this share of all increments.
            double hottest = Math.Pow(1.0 / keys, 1 / skew);
            int mine = (int)Math.Min(perThread, Flavor.MaxUnits / hottest / Threads / 1.5);
            var made = new int[Threads][];
            Workers.Run(Threads, worker => UseSession(store, session =>
            {
                var counter = new Counter(session, new Random((seed * Threads) + worker), keys, skew);
                made[worker] = counter.Made;
                counter.Run(mine, worker, fill);
            }));
            await using ISessionUnderTest<TKey, TValue> reader = store.StartSession();
            for (int key = 0; key < keys; key++)
            {
                long expected = made.Sum(counts => (long)counts[key]);
                ReadResult<TValue> read = reader.ReadNow(Flavor.Key(key));
                long found = read.Found ? Flavor.Count(read.Value) : 0;
                string what = $"Key {key}: {expected} increments were made, {found} are in the value.";
                Assert.True(expected == found, what);
            }
        }, expectedKeys: 0));

    /// <summary>One thread's increments, by turns in status, async and batch form, with fillers between them.</summary>
    private sealed class Counter(ISessionUnderTest<TKey, TValue> session, Random random, int keys, double skew)
    {
        private const int BatchSize = 16;
        private readonly TValue[] _units = [.. Enumerable.Repeat(Flavor.Unit, BatchSize)];
        private readonly List<PendingTicket<TValue>> _pending = [];

        public int[] Made { get; } = new int[keys];

        public void Run(int count, int worker, int fill)
        {
            long filler = 1_000_000_000L * (worker + 1);
            int rounds = count / BatchSize;
            for (int round = 0; round < rounds; round++)
            {
                TKey[] some = [.. Enumerable.Range(0, BatchSize).Select(_ => NextKey())];
                switch ((round + worker) % 3)
                {
                    case 0:
                        session.RmwBatch(some, _units);
                        break;
                    case 1:
                        foreach (TKey key in some)
                            _ = session.RmwAsync(key, Flavor.Unit).AsTask().GetAwaiter().GetResult();
                        break;
                    default:
                        RmwByStatus(some);
                        break;
                }

                if (fill == 0) continue;
                int until = (int)((long)fill * (round + 1) / rounds);
                int from = (int)((long)fill * round / rounds);
                Fill(session, filler + from, until - from);
            }
        }

        private TKey NextKey()
        {
            int key = (int)(keys * Math.Pow(random.NextDouble(), skew));
            Made[key]++;
            return Flavor.Key(key);
        }

        private void RmwByStatus(TKey[] some)
        {
            foreach (TKey key in some)
            {
                var ticket = new PendingTicket<TValue>();
                if (session.Rmw(key, Flavor.Unit, ticket) == Status.Pending) _pending.Add(ticket);
            }

            Assert.True(session.CompletePending(wait: true));
            _pending.ForEach(ticket => ticket.AssertDone());
            _pending.Clear();
        }
    }
}
