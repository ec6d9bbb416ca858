using System.Buffers;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines;
using Faster.Log;
using Faster.Log.Large;
using Faster.LogSessions;
using Faster.Operations.Large;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Operations.Large;

/// <summary>Large values that many sessions change and read at once, while the log is truncated.</summary>
public sealed class LargeConcurrencyTests
{
    public static TheoryData<LargeEngine> Engines => LargeSubject.Engines;

    [Theory]
    [InlineData(LargeEngine.Hybrid, 0.9)]
    [InlineData(LargeEngine.Hybrid, 0.05)]
    [InlineData(LargeEngine.Tiered, 0.9)]
    public async Task A_reader_sees_one_value_as_a_whole(LargeEngine engine, double mutable)
    {
        await using LargeSubject store = await LargeSubject.OpenAsync(
            engine, Options with { MutableFraction = mutable });
        using var stop = new CancellationTokenSource();
        Task[] writers = [.. Enumerable.Range(0, 2).Select(t => Task.Run(() => Overwrite(store, t)))];
        Task<int>[] readers =
        [
            Task.Run(() => ReadAll(store, stop.Token)), Task.Run(() => ReadAllAsync(store, stop.Token)),
        ];
        await Task.WhenAll(writers);
        stop.Cancel();
        Assert.All(await Task.WhenAll(readers), static reads => Assert.True(reads > 0));
        if (engine != LargeEngine.Tiered) Assert.Equal(long.MaxValue, store.Log.Pins.LowestPinned); // none moves
        Assert.Null(store.Core.Faults.Last);
    }

    [Theory, MemberData(nameof(Engines))]
    public async Task Each_update_of_a_large_value_counts_once(LargeEngine engine)
    {
        const int Updates = 150, Threads = 3;
        await using LargeSubject store = await LargeSubject.OpenAsync(engine);
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(t => Guard.RunAsync(() =>
        {
            using HashSession session = store.StartSession();
            for (int i = 0; i < Updates; i++) session.Count(i % 2);
        })));
        using HashSession reader = store.StartSession();
        long total = 0;
        for (int key = 0; key < 2; key++) total += BitConverter.ToInt64(reader.GetBytes(key));
        Assert.Equal(Updates * Threads, total);
    }

    [Fact]
    public async Task A_value_whose_end_was_truncated_away_is_gone_as_a_whole()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        const int Values = 60;
        long[] ends = new long[Values];
        for (int i = 0; i < Values; i++)
        {
            session.PutBytes(i, Value(9_000 + (i * 100), i));
            ends[i] = store.Log.TailAddress;
        }

        var random = new Random(3);
        long end = store.Tier.PagedLog!.ShiftReadOnlyToTail();
        while (store.Tier.PagedLog!.SafeImmutableAddress < end) store.Epochs.Drain();
        for (long begin = 0; begin < ends[40]; begin += random.Next(1, 20_000))
        {
            store.Tier.PagedLog!.RaiseBegin(begin);
            for (int i = 0; i < Values; i++)
            {
                byte[]? found = session.GetBytes(i);
                long start = i == 0 ? PagedLog.FirstAddress : ends[i - 1];
                if (begin <= start) Assert.NotNull(found);
                else if (begin > start + 8_000) Assert.Null(found);
                if (found is not null) Assert.Equal(Value(9_000 + (i * 100), i), found);
            }
        }

        store.Tier.PagedLog!.RaiseBegin(ends[42]); // where a record begins, as a scan wants it
        using LogScan scan = store.ScanLog();
        while (scan.MoveNext()) Assert.Equal(scan.ValueLength, scan.Value.Length);
        session.Append(0, [1]);
        Assert.Equal([1], session.GetBytes(0)!);
    }

    [Fact]
    public async Task A_value_that_is_being_read_is_pinned_until_the_end_of_the_read()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        session.PutBytes(1, Value(1 << 20, 1));
        var writer = new HeldWriter();
        Task<byte[]?> reading = Task.Run(() => session.ReadAsync(1, writer).AsTask());
        await writer.Reached.Task;
        LogPins pins = store.Tier.PagedLog!.Pins;
        Assert.InRange(pins.LowestPinned, PagedLog.FirstAddress, store.Log.TailAddress);
        writer.Go.SetResult();
        Assert.NotNull(await reading);
        Assert.Equal(long.MaxValue, pins.LowestPinned);
        Assert.Equal(Value(1 << 20, 1), writer.Written.WrittenSpan.ToArray());
    }

    [Fact]
    public async Task A_reader_that_gets_no_epoch_slot_pins_nothing()
    {
        await using FasterStore store = await OpenAsync();
        var write = new LargeWrite(new ReadOnlySequence<byte>(Value(100_000, 1)));
        write.Write(store.Tier, 7);
        PagedLog log = store.Tier.PagedLog!;
        using (LargeReader? reader = store.Tier.ReadFragments(write.Head))
            Assert.Equal(write.Head.Lowest, log.Pins.LowestPinned);
        Assert.Equal(long.MaxValue, log.Pins.LowestPinned);

        // There is no table to take one from: it fails where memory for more slots is refused.
        Assert.ThrowsAny<Exception>(() => LargeReader.TryOpen(null!, log, store.Tier.Reader!, write.Head));
        Assert.Equal(long.MaxValue, log.Pins.LowestPinned);
        write.End();
    }

    [Fact]
    public async Task A_value_is_copied_to_the_tail()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        byte[] value = Value(3 << 20, 1);
        var write = new LargeWrite(new ReadOnlySequence<byte>(value));
        write.Write(store.Tier, 7);
        long tail = store.Log.TailAddress;
        byte[] buffer = [];
        LargeHead? copy = LargeCopy.ToTail(store.Tier, store.Tier, write.Head, 7, ref buffer, null, static () => { });
        Assert.True(copy!.Value.Lowest >= tail);
        Assert.Equal(value.Length, copy.Value.Length);
        using (LargeReader? reader = store.Tier.ReadFragments(copy.Value))
            Assert.Equal(value, await reader!.GatherAsync());
        long end = store.Tier.PagedLog!.ShiftReadOnlyToTail();
        while (store.Tier.PagedLog!.SafeImmutableAddress < end) store.Epochs.Drain();
        store.Tier.PagedLog!.RaiseBegin(tail);
        Assert.Null(LargeCopy.ToTail(store.Tier, store.Tier, write.Head, 7, ref buffer, null, static () => { }));
        using LargeReader? left = store.Tier.ReadFragments(copy.Value);
        Assert.Equal(value, await left!.GatherAsync());
    }

    private static void Overwrite(LargeSubject store, int thread)
    {
        using HashSession session = store.StartSession();
        var random = new Random(thread);
        for (int i = 0; i < 400; i++)
        {
            int seed = random.Next(1000);
            session.PutBytes(random.Next(3), Telling(seed));
        }
    }

    private static int ReadAll(LargeSubject store, CancellationToken ct)
    {
        using HashSession session = store.StartSession();
        int reads = 0;
        for (int key = 0; !ct.IsCancellationRequested || reads == 0; key = (key + 1) % 3)
        {
            if (session.GetBytes(key) is not { } value) continue;
            Assert.Equal(Telling(BitConverter.ToInt32(value)), value);
            reads++;
        }

        return reads;
    }

    private static async Task<int> ReadAllAsync(LargeSubject store, CancellationToken ct)
    {
        await using HashSession session = store.StartSession();
        int reads = 0;
        for (int key = 0; !ct.IsCancellationRequested || reads == 0; key = (key + 1) % 3)
        {
            var writer = new ArrayBufferWriter<byte>();
            if (await session.ReadAsync(key, writer) is null) continue;
            Assert.Equal(Telling(BitConverter.ToInt32(writer.WrittenSpan)), writer.WrittenSpan.ToArray());
            reads++;
        }

        return reads;
    }

    // Its first four bytes tell all others, and its length.
    private static byte[] Telling(int seed)
    {
        byte[] value = Value(100 + (seed * 31 % 20_000), seed);
        BitConverter.TryWriteBytes(value, seed);
        return value;
    }

    private sealed class HeldWriter : IBufferWriter<byte>
    {
        public readonly ArrayBufferWriter<byte> Written = new();
        public readonly TaskCompletionSource Reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
        public readonly TaskCompletionSource Go = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Advance(int count)
        {
            Written.Advance(count);
            Reached.TrySetResult();
            Go.Task.Wait();
        }

        public Memory<byte> GetMemory(int sizeHint = 0) => Written.GetMemory(sizeHint);

        public Span<byte> GetSpan(int sizeHint = 0) => Written.GetSpan(sizeHint);
    }
}
