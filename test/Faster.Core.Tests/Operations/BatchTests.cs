using Faster.Contracts;
using Faster.Engines;
using Faster.Operations;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Operations;

/// <summary>Batches of each kind do what their operations would do one by one, in memory and from disk.</summary>
public sealed class BatchTests
{
    private const long Second = 1000;
    private const int Keys = 60_000; // more than memory holds, where there is a disk

    private readonly ManualTime _time = new();

    public static TheoryData<RecordAllocatorKind> Allocators => [.. Enum.GetValues<RecordAllocatorKind>()];

    [Theory, MemberData(nameof(Allocators))]
    public async Task Batches_agree_with_a_dictionary_whatever_their_size(RecordAllocatorKind allocator)
    {
        await using FasterStore store = await Open(allocator, TimeSpan.Zero);
        using FasterSession session = store.StartSession();
        Fill(session);
        await TestSeed.RunAsync(3, seed =>
        {
            AgreeWithDictionary(session, new Random(seed), Keys, batches: 150);
            return Task.CompletedTask;
        });
        if (allocator != RecordAllocatorKind.InMemory) Assert.True(store.Statistics.DiskReads > 1_000);
    }

    [Theory, MemberData(nameof(Allocators))]
    public async Task So_they_do_where_records_expire(RecordAllocatorKind allocator)
    {
        await using FasterStore store = await Open(allocator, TimeSpan.FromSeconds(10));
        using FasterSession session = store.StartSession();
        await TestSeed.RunAsync(3, seed =>
        {
            AgreeWithDictionary(session, new Random(seed), spread: 500, batches: 60);
            _time.Advance(10 * Second);
            (long?[] values, _) = Read(session, KeysBelow(500));
            Assert.All(values, static value => Assert.Null(value));
            return Task.CompletedTask;
        });
    }

    [Fact]
    public async Task Each_operation_has_its_number_or_all_have_one()
    {
        await using FasterStore store = await Open(RecordAllocatorKind.Hybrid, TimeSpan.Zero);
        using FasterSession session = store.StartSession();
        long number = 0;
        foreach (int size in new[] { 1, 32, 33, 100 })
        {
            long[] keys = KeysBelow(size);
            Put(session, keys, 1);
            Assert.Equal(number += size, session.SerialNumber);
            Put(session, keys, 2);
            Assert.Equal(number += size, session.SerialNumber);
            Add(session, keys, 3, number += 10);
            Assert.Equal(number, session.SerialNumber);
            Assert.Throws<ArgumentOutOfRangeException>(() => Put(session, keys, 9, number));
            (long?[] values, _) = Read(session, keys);
            Assert.All(values, static value => Assert.Equal(5, value));
            Assert.Equal(number += size, session.SerialNumber);
        }

        Put(session, [], 1);
        Assert.Equal(number, session.SerialNumber);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    [InlineData(40)]
    public async Task A_function_that_throws_ends_the_batch_where_it_is(int at)
    {
        await using FasterStore store = await Open(RecordAllocatorKind.Hybrid, TimeSpan.Zero);
        using FasterSession session = store.StartSession();
        long[] keys = KeysBelow(64);
        Put(session, keys, 1);
        long before = session.SerialNumber;
        Status[] statuses = [.. keys.Select(static _ => Status.Pending)];
        var batch = new Batch<Add>(keys, index => new Add(index == at ? -1 : 1, null), statuses, null);
        Assert.Throws<InvalidOperationException>(
            () => session.RmwBatch<UnmanagedKey<long>, Add, Batch<Add>>(ref batch));
        Assert.Equal(before + at, session.SerialNumber);
        for (int i = 0; i < keys.Length; i++)
        {
            Assert.Equal(i < at ? 2 : 1, session.Get(keys[i]));
            Assert.Equal(i < at ? Status.Ok : Status.Pending, statuses[i]);
        }

        Add(session, keys, 1);
        Assert.Equal(2, session.Get(63));
    }

    [Fact]
    public async Task Operations_that_wait_for_the_disk_have_ended_when_the_batch_returns()
    {
        await using FasterStore store = await Open(RecordAllocatorKind.Hybrid, TimeSpan.Zero);
        using FasterSession session = store.StartSession();
        Fill(session);
        long[] keys = KeysBelow(100);
        (long?[] values, int waited) = Read(session, [.. keys, .. keys]);
        Assert.All(values, static value => Assert.Equal(7, value));
        Assert.True(waited > 50, $"{waited} reads waited for the disk.");
        Assert.Equal(0, session.PendingCount);
    }

    private static void Fill(FasterSession session)
    {
        foreach (long[] keys in KeysBelow(Keys).Chunk(1_000)) Put(session, keys, 7);
    }

    private static long[] KeysBelow(int count) => [.. Enumerable.Range(0, count).Select(static key => (long)key)];

    private static void AgreeWithDictionary(FasterSession session, Random random, int spread, int batches)
    {
        var model = new Dictionary<long, long>();
        (long?[] found, _) = Read(session, KeysBelow(spread));
        for (int key = 0; key < spread; key++)
            if (found[key] is { } value) model.Add(key, value);
        for (int i = 0; i < batches; i++)
        {
            int size = random.Next(4) == 0 ? random.Next(2_000) : random.Next(70);
            long first = random.Next(spread), width = random.Next(1, Math.Max(2, 2 * size)); // some keys come again
            long[] keys = [.. Enumerable.Range(0, size).Select(_ => (first + random.NextInt64(width)) % spread)];
            long amount = random.Next(1, 1_000);
            switch (random.Next(4))
            {
                case 0:
                    Put(session, keys, amount);
                    foreach (long key in keys) model[key] = amount;
                    break;
                case 1:
                    Shift(session, keys, amount);
                    for (int n = 0; n < size; n++)
                        model[keys[n]] = Shifted(model.GetValueOrDefault(keys[n]), amount + n);
                    break;
                case 2:
                    Remove(session, keys);
                    foreach (long key in keys) model.Remove(key);
                    break;
                default:
                    (long?[] values, _) = Read(session, keys);
                    Assert.Equal(
                        keys.Select(key => model.TryGetValue(key, out long value) ? value : (long?)null), values);
                    break;
            }
        }
    }

    private static void Put(FasterSession session, long[] keys, long value, long? number = null)
    {
        var statuses = new Status[keys.Length];
        var batch = new Batch<Upsert>(keys, _ => new Upsert(value), statuses, null);
        session.UpsertBatch<UnmanagedKey<long>, Upsert, Batch<Upsert>>(ref batch, number);
        Assert.All(statuses, static status => Assert.Equal(Status.Ok, status));
    }

    private static void Add(FasterSession session, long[] keys, long amount, long? number = null) =>
        Update(session, keys, (_, outcome) => new Add(amount, outcome), number);

    private static void Shift(FasterSession session, long[] keys, long amount) =>
        Update(session, keys, (index, outcome) => new Shifting(amount + index, outcome));

    private static void Update<TOperation>(
        FasterSession session, long[] keys, Func<int, CounterOperations.Outcome, TOperation> make,
        long? number = null)
        where TOperation : struct, IRmwOperation
    {
        var statuses = new Status[keys.Length];
        CounterOperations.Outcome[] outcomes = [.. keys.Select(static _ => new CounterOperations.Outcome())];
        var batch = new Batch<TOperation>(keys, index => make(index, outcomes[index]), statuses, null);
        session.RmwBatch<UnmanagedKey<long>, TOperation, Batch<TOperation>>(ref batch, number);
        for (int i = 0; i < keys.Length; i++)
            Assert.Equal((statuses[i] == Status.Pending ? 1 : 0, null), (outcomes[i].Completions, outcomes[i].Error));
    }

    // The order of two shows in what comes of them.
    private static long Shifted(long value, long amount) => unchecked((value * 31) + amount);

    private static void Remove(FasterSession session, long[] keys)
    {
        var batch = new Batch<Delete>(keys, static _ => default, new Status[keys.Length], null);
        session.DeleteBatch<UnmanagedKey<long>, Delete, Batch<Delete>>(ref batch);
    }

    private static (long?[] Values, int Waited) Read(FasterSession session, long[] keys)
    {
        var statuses = new Status[keys.Length];
        var values = new long?[keys.Length];
        CounterOperations.Outcome[] outcomes = [.. keys.Select(static _ => new CounterOperations.Outcome())];
        var batch = new Batch<Read>(
            keys, index => new Read(outcomes[index]), statuses, (index, read) => values[index] = read.Value);
        session.ReadBatch<UnmanagedKey<long>, Read, Batch<Read>>(ref batch);
        for (int i = 0; i < keys.Length; i++)
        {
            bool waited = statuses[i] == Status.Pending;
            Assert.Equal(waited ? 1 : 0, outcomes[i].Completions);
            if (waited) values[i] = outcomes[i].Value;
            if ((waited ? outcomes[i].Status : statuses[i]) == Status.NotFound) values[i] = null;
        }

        return (values, statuses.Count(static status => status == Status.Pending));
    }

    private async Task<FasterStore> Open(RecordAllocatorKind allocator, TimeSpan lives)
    {
        ByteSize budget = ByteSize.MiB(allocator == RecordAllocatorKind.InMemory ? 8 : 1);
        var options = new StoreOptions
        {
            Allocator = allocator, MemoryBudget = budget, TimeToLive = lives, TimeProvider = _time,
        };
        return await FasterStore.OpenAsync(null, options, Schema, default);
    }

    private readonly struct Shifting(long amount, CounterOperations.Outcome outcome) : IRmwOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public bool IsAwaited => false;

        public void Capture() { }

        public void InitialUpdate(ValueBuffer value) => value.Fixed<long>() = Shifted(0, amount);

        public bool InPlaceUpdate(ref ValueSlot value)
        {
            value.As<long>() = Shifted(value.As<long>(), amount);
            return true;
        }

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue) =>
            newValue.Fixed<long>() = Shifted(BitConverter.ToInt64(oldValue), amount);

        public void Complete(Status status, Exception? error) =>
            (outcome.Completions, outcome.Error) = (outcome.Completions + 1, error);
    }

    private readonly struct Batch<TOperation>(
        long[] keys, Func<int, TOperation> make, Status[] statuses, Action<int, TOperation>? see)
        : IBatch<UnmanagedKey<long>, TOperation>
        where TOperation : struct
    {
        public int Count => keys.Length;

        public UnmanagedKey<long> GetKey(int index) => Key(keys[index]);

        public TOperation GetOperation(int index) => make(index);

        public void SetResult(int index, Status status, ref TOperation operation)
        {
            statuses[index] = status;
            see?.Invoke(index, operation);
        }
    }
}
