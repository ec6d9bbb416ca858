using Faster.Contracts;
using Faster.Engines;
using Faster.Expiry;
using Faster.Tests.Engines;
using Faster.Tests.Opening;
using Faster.Tests.Operations;

namespace Faster.Tests.Expiry;

/// <summary>Random operations with random times to live give what a dictionary with times gives.</summary>
public sealed class ExpiryModelTests
{
    private const int Keys = 300;

    public static TheoryData<RecordAllocatorKind, double> Shapes => new()
    {
        { RecordAllocatorKind.InMemory, 0 },
        { RecordAllocatorKind.AppendOnly, 0 },
        { RecordAllocatorKind.AppendOnly, 0.75 },
        { RecordAllocatorKind.Hybrid, 0 },
        { RecordAllocatorKind.Hybrid, 0.75 },
    };

    [Theory, MemberData(nameof(Shapes))]
    public Task Random_operations_give_what_a_model_with_times_gives(RecordAllocatorKind allocator, double cache) =>
        PlayAsync(allocator, cache, isRecent: false);

    /// <summary>So seldom that records are updated without the latch, and live some milliseconds longer.</summary>
    [Theory, MemberData(nameof(Shapes))]
    public Task They_do_where_the_time_is_read_seldom(RecordAllocatorKind allocator, double cache) =>
        PlayAsync(allocator, cache, isRecent: true);

    private static Task PlayAsync(RecordAllocatorKind allocator, double cache, bool isRecent) =>
        TestSeed.RunAsync(1, async seed =>
        {
            var time = new ManualTime();
            await using FasterStore store = await FasterStore.OpenAsync(
                null,
                new StoreOptions
                {
                    Allocator = allocator, MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(4),
                    ReadCacheFraction = cache, TimeProvider = time,
                }.For(null),
                CounterOperations.Schema, CancellationToken.None);
            using FasterSession session = store.StartSession();
            var player = new Player(session, time, seed, fills: allocator != RecordAllocatorKind.InMemory)
            {
                Published = isRecent ? store.Core.Clock : null,
            };
            for (int step = 0; step < 20_000; step++)
            {
                player.HasOneLife = isRecent && step < 10_000;
                string? wrong = player.Step();
                Assert.True(wrong is null, $"Step {step}: {wrong}");
            }
        });

    private sealed class Player(FasterSession session, ManualTime time, int seed, bool fills)
    {
        private readonly Random _random = new(seed);
        private readonly Dictionary<long, (long Value, long Expiry)> _model = [];
        private long _life;
        private long _filler = 1_000_000;

        /// <summary>The clock that a thread would read now and then; null if each operation does.</summary>
        public StoreClock? Published { get; init; }

        /// <summary>Whether there is no more than one time to live.</summary>
        public bool HasOneLife { get; set; }

        private long Unit => Published is null ? 1 : 10_000;

        public string? Step()
        {
            long key = _random.Next(Keys), amount = _random.Next(1, 1000);
            switch (_random.Next(16))
            {
                case 0:
                    time.Advance(_random.Next(20) * Unit);
                    Published?.Publish();
                    break;
                case 1:
                    _life = (_random.Next(3) == 0 ? 0 : HasOneLife ? 50 : _random.Next(1, 200)) * Unit;
                    session.TimeToLive = TimeSpan.FromMilliseconds(_life);
                    Published?.Publish(); // what is written before the first time has no slack
                    break;
                case 2 when fills && _random.Next(20) == 0:
                    for (int i = 0; i < 10_000; i++) session.Put(_filler++, 1);
                    break;
                case 3 or 4:
                    session.Put(key, amount);
                    _model[key] = (amount, Expiry(long.MaxValue));
                    break;
                case 5 or 6 or 7:
                    session.AddTo(key, amount);
                    (long Value, long Expiry)? old = Live(key);
                    _model[key] = ((old?.Value ?? 0) + amount, Expiry(old?.Expiry ?? long.MaxValue));
                    break;
                case 8:
                    bool lives = Live(key) is not null;
                    _model.Remove(key);
                    if (session.Remove(key) == Status.NotFound && lives) return $"key {key} was not deleted";
                    break;
                default:
                    long? expected = Live(key)?.Value, found = session.Get(key);
                    if (expected != found) return $"key {key} is {expected}, found {found}";
                    break;
            }

            return null;
        }

        private (long Value, long Expiry)? Live(long key) =>
            _model.TryGetValue(key, out (long Value, long Expiry) state) && state.Expiry > time.Now ? state : null;

        private long Expiry(long kept) =>
            _life == 0 ? kept : time.Now + _life + (Published is null ? 0 : Lifetime.Of(_life).SlackAt(time.Now));
    }
}
