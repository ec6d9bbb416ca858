using System.Buffers;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Log;
using Faster.LogSessions;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Operations.Large;

/// <summary>Values of every length around the sizes of pages, by every way in and out.</summary>
public sealed class LargeValueTests
{
    public static TheoryData<LargeEngine> Engines => LargeSubject.Engines;

    [Theory, MemberData(nameof(Engines))]
    public async Task Every_length_around_a_pages_end_comes_back(LargeEngine engine)
    {
        await using LargeSubject store = await LargeSubject.OpenAsync(engine);
        using HashSession session = store.StartSession();
        int[] ends = [Page - 64, Page, (2 * Page) - 64, 2 * Page, 10 * Page];
        var lengths = ends.SelectMany(end => Enumerable.Range(end - 60, 80).Where(n => n % 3 == 0)).ToArray();
        for (int i = 0; i < lengths.Length; i++)
        {
            byte[] value = Value(lengths[i], i);
            switch (i % 3)
            {
                case 0: session.PutBytes(i, value); break;
                case 1: Assert.Equal(Status.Ok, await session.PutAsync(i, InPieces(value, 100 + i))); break;
                default: session.Append(i, value); break;
            }
        }

        // Most lie on disk by now.
        Assert.True(store.Log.HeadAddress > PagedLog.FirstAddress);
        for (int i = 0; i < lengths.Length; i++)
        {
            byte[] expected = Value(lengths[i], i);
            Assert.Equal(expected, session.GetBytes(i));
            var written = new ArrayBufferWriter<byte>();
            Assert.NotNull(await session.ReadAsync(i, written));
            Assert.Equal(expected, written.WrittenSpan.ToArray());
            Assert.Equal(expected, await session.ReadAsync(i));
        }
    }

    [Theory, MemberData(nameof(Engines))]
    public async Task Values_go_from_small_to_large_and_back_and_are_deleted(LargeEngine engine)
    {
        await using LargeSubject store = await LargeSubject.OpenAsync(engine);
        using HashSession session = store.StartSession();
        var random = new Random(5);
        var model = new Dictionary<int, byte[]>();
        for (int step = 0; step < 3_000; step++)
        {
            int key = random.Next(12);
            byte[] bytes = Value((int)Math.Pow(20_000, random.NextDouble()), step);
            switch (random.Next(4))
            {
                case 0: session.PutBytes(key, model[key] = bytes); break;
                case 1 when model.GetValueOrDefault(key, []).Length < 60_000:
                    session.Append(key, bytes);
                    model[key] = [.. model.GetValueOrDefault(key, []), .. bytes];
                    break;
                case 2: Assert.Equal(Status.Ok, await session.PutAsync(key, new(model[key] = bytes))); break;
                default:
                    _ = session.RemoveBytes(key);
                    model.Remove(key);
                    break;
            }

            int other = random.Next(12);
            Assert.Equal(model.GetValueOrDefault(other), session.GetBytes(other));
        }
    }

    [Theory, MemberData(nameof(Engines))]
    public async Task An_operation_never_links_what_another_one_has_written(LargeEngine engine)
    {
        await using LargeSubject store = await LargeSubject.OpenAsync(engine);
        using HashSession session = store.StartSession();
        for (int i = 0; i < 20; i++)
        {
            session.Append(1, Value(9_000, i)); // pending, and continued by this session
            ValueTask<Status> put = session.PutAsync(2, new(Value(8_000, i)));
            session.Append(1, Value(100, i));
            Assert.Equal(Status.Ok, await put);
            session.PutBytes(3, Value(7_000, i));
            Assert.Equal(Value(8_000, i), session.GetBytes(2));
            Assert.Equal(Value(7_000, i), session.GetBytes(3));
        }

        Assert.Equal(20 * 9_100, session.GetBytes(1)!.Length);
    }

    [Theory, MemberData(nameof(Engines))]
    public async Task A_write_that_is_canceled_leaves_the_old_value(LargeEngine engine)
    {
        using var device = new FaultDevice(new MemoryDevice());
        await using LargeSubject store = await LargeSubject.OpenAsync(engine, device: device);
        using HashSession session = store.StartSession();
        byte[] old = Value(9_000, 1);
        session.PutBytes(1, old);
        using var cts = new CancellationTokenSource();
        var value = new CancellingSequence(4 << 20, cts).Sequence;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => _ = await session.PutAsync(1, value, cts.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => _ = await session.PutAsync(1, value, cts.Token));
        Assert.Equal(old, session.GetBytes(1));
        Assert.Equal(0, session.PendingCount);
        session.PutBytes(1, Value(8_000, 2));
        Assert.Equal(Value(8_000, 2), session.GetBytes(1));
    }

    [Fact]
    public async Task A_key_that_leaves_no_space_and_a_store_in_memory_say_what_is_too_large()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        byte[] key = new byte[Page];
        await Assert.ThrowsAsync<LimitExceededException>(
            () => SequenceOperations.UpsertAsync(session, new BytesKey(key), default, default).AsTask());
        await using FasterStore memory = await OpenAsync(
            Options with { Allocator = RecordAllocatorKind.InMemory, MemoryBudget = ByteSize.MiB(64) });
        using FasterSession other = memory.StartSession();
        await Assert.ThrowsAsync<LimitExceededException>(
            () => other.PutAsync(1, new ReadOnlySequence<byte>(new byte[17 << 20])).AsTask());
        Assert.Equal(Status.Ok, await other.PutAsync(1, new ReadOnlySequence<byte>(Value(15 << 20, 1))));
        Assert.Equal(Value(15 << 20, 1), other.GetBytes(1));
    }

    [Theory, MemberData(nameof(Engines))]
    public async Task A_writer_that_throws_fails_its_own_read_only(LargeEngine engine)
    {
        await using LargeSubject store = await LargeSubject.OpenAsync(engine);
        using HashSession session = store.StartSession();
        session.PutBytes(1, Value(20_000, 1));
        await Errors.ThrowsAsync(
            ErrorReason.UserFunction, () => session.ReadAsync(1, new ThrowingWriter()).AsTask());
        Assert.Equal(Value(20_000, 1), session.GetBytes(1));
        Assert.Null(store.Core.Faults.Last);
    }

    [Fact]
    public async Task A_scan_yields_values_gathered_and_streamed()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        int[] lengths = [10, 5_000, 100_000, 3_000, 400_000, 900_000, 0];
        for (int i = 0; i < lengths.Length; i++) session.PutBytes(i, Value(lengths[i], i));
        using LogScan scan = store.ScanLog();
        for (int i = 0; i < lengths.Length; i++)
        {
            Assert.True(scan.MoveNext());
            Assert.Equal(i, BitConverter.ToInt32(scan.Key));
            Assert.Equal((lengths[i] > Page, lengths[i]), (scan.IsLarge, scan.ValueLength));
            var written = new ArrayBufferWriter<byte>();
            scan.CopyValueTo(written);
            Assert.Equal(Value(lengths[i], i), written.WrittenSpan.ToArray());
            Assert.Equal(Value(lengths[i], i), scan.Value.ToArray());
        }

        Assert.False(scan.MoveNext());
        scan.Dispose();
        Assert.Equal(long.MaxValue, store.Tier.PagedLog!.Pins.LowestPinned);
    }

    [Theory, MemberData(nameof(Engines))]
    public async Task With_a_read_cache_large_values_are_read_and_not_copied(LargeEngine engine)
    {
        await using LargeSubject store = await LargeSubject.OpenAsync(engine, Options with { ReadCacheFraction = 0.5 });
        using HashSession session = store.StartSession();
        for (int i = 0; i < 200; i++) session.PutBytes(i, Value(i % 2 == 0 ? 12_000 : 100, i));
        for (int round = 0; round < 4; round++)
        {
            for (int i = 0; i < 200; i++) Assert.Equal(Value(i % 2 == 0 ? 12_000 : 100, i), session.GetBytes(i));
        }

        session.PutBytes(4, [1]);
        session.PutBytes(5, Value(9_999, 5));
        Assert.Equal([1], session.GetBytes(4)!);
        Assert.Equal(Value(9_999, 5), session.GetBytes(5));
    }

    private sealed class ThrowingWriter : IBufferWriter<byte>
    {
        private int _calls;

        public void Advance(int count) { }

        public Memory<byte> GetMemory(int sizeHint = 0) => ++_calls == 2
            ? throw new InvalidOperationException("no")
            : new byte[sizeHint];

        public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;
    }

    // Cancels when its middle is copied.
    private sealed class CancellingSequence(int length, CancellationTokenSource cts) : MemoryManager<byte>
    {
        private readonly byte[] _bytes = new byte[length];
        private int _calls;

        public ReadOnlySequence<byte> Sequence => new(Memory);

        public override Span<byte> GetSpan()
        {
            if (++_calls == 40) cts.Cancel();
            return _bytes;
        }

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin() { }

        protected override void Dispose(bool disposing) { }
    }
}
