using Faster.Contracts;
using Faster.Devices;
using Faster.OperationLogs;
using Faster.Persistence;

namespace Faster.Tests.OperationLogs;

/// <summary>Logs on one thread and on several: space, laps, heads, and what is found when they are opened.</summary>
public sealed class LogSetTests
{
    private const int Size = 4096;

    [Fact]
    public void Records_are_found_in_order_also_across_the_end_of_the_ring()
    {
        var region = new EmulatedRegion(Size, TimeSpan.Zero);
        using LogSet logs = LogSet.Create(new PersistenceDomain(region), 1, TestRecords.Identity);
        LogMark[] heads = logs.Mark();
        var expected = new List<long>();
        foreach (int number in Enumerable.Range(0, 200))
        {
            int valueBytes = number * 37 % 700;
            if (!Fits(logs, number, valueBytes))
            {
                Assert.Equal(expected, TestRecords.Read(region.Image(), heads).Numbers[0]);
                heads = logs.Mark();
                logs.RaiseHeads(heads);
                expected.Clear();
                Assert.True(Fits(logs, number, valueBytes));
            }

            expected.Add(number);
        }

        Assert.InRange(heads[0].Position, 10 * Size, long.MaxValue);
        ReadLogs found = TestRecords.Read(region.Image(), heads);
        Assert.Equal(expected, found.Numbers[0]);
        Assert.Equal(logs.Mark(), found.Ends);
        Assert.Equal(logs.Used, found.Used);
    }

    [Fact]
    public void The_last_eighth_is_kept_for_callers_that_may_use_the_reserve()
    {
        using LogSet logs = Create(new EmulatedRegion(Size, TimeSpan.Zero), 1);
        int favorite = 0;
        while (TestRecords.TryAppend(logs, ref favorite, 1, 72) == LogSpace.Taken) { }
        Assert.InRange(logs.Used, logs.Capacity - 128, logs.Capacity);
        Assert.Equal(LogSpace.Taken, TestRecords.TryAppend(logs, ref favorite, 2, 72, mayUseReserve: true));
        while (TestRecords.TryAppend(logs, ref favorite, 2, 72, mayUseReserve: true) == LogSpace.Taken) { }
        Assert.Equal(Size, logs.Used);
        Assert.Equal(LogSpace.Full, TestRecords.TryAppend(logs, ref favorite, 3, 0, mayUseReserve: true));
    }

    [Fact]
    public unsafe void A_log_with_an_owner_is_passed_by_and_contended_if_it_is_the_only_one()
    {
        using LogSet logs = Create(new EmulatedRegion(2 * Size, TimeSpan.Zero), 2);
        int favorite = 0, other = 0;
        Assert.Equal(LogSpace.Taken, logs.TryReserve(ref favorite, 64, false, out LogReservation first));
        Assert.Equal(LogSpace.Taken, logs.TryReserve(ref other, 64, false, out LogReservation second));
        Assert.Equal((0, 1, 0, 1), (first.Log, second.Log, favorite, other));
        Assert.Equal(LogSpace.Contended, logs.TryReserve(ref other, 64, false, out _));
        first.Release();
        Assert.Equal(LogSpace.Taken, logs.TryReserve(ref other, 64, false, out first));
        Assert.Equal((0, 0), (other, first.Log));
        first.Release();
        second.Release();
        Assert.Equal(0, logs.Used);
    }

    [Fact]
    public unsafe void A_record_goes_to_the_log_of_the_one_it_is_behind_until_that_is_durable()
    {
        using var memory = new MemoryDevice();
        using LogSet logs = Create(DeviceRegion.Create(Keeping(memory), 2 * Size), 2);
        int first = 0, other = 1;
        Assert.Equal(LogSpace.Taken, logs.TryReserve(ref first, 64, false, out LogReservation reservation));
        LogRecord.Write(reservation.Pointer, TestRecords.ShapeOf(1, 0));
        LogPlace place = reservation.Publish();
        Assert.Equal((0, logs.Used, false), (place.Log, place.End, logs.IsDurable(place)));

        Assert.Equal(LogSpace.Taken, logs.TryReserve(ref other, 64, false, out reservation, place));
        Assert.Equal(LogSpace.Contended, logs.TryReserve(ref other, 64, false, out _, place));
        Assert.Equal((0, 1), (reservation.Log, other));
        reservation.Release();
        logs.Wait(logs.TakeTicket());
        Assert.True(logs.IsDurable(place));
        Assert.Equal(LogSpace.Taken, logs.TryReserve(ref other, 64, false, out reservation, place));
        Assert.Equal(1, reservation.Log);
        reservation.Release();
    }

    [Fact]
    public unsafe void Behind_a_record_in_a_full_log_one_waits_for_a_sync_that_it_asks_for()
    {
        using var memory = new MemoryDevice();
        using LogSet logs = Create(DeviceRegion.Create(Keeping(memory), 2 * Size), 2);
        int favorite = 0;
        LogPlace last = default;
        for (int i = 0; logs.Used + 64 <= logs.Capacity / 2; i++)
        {
            LogSpace taken = logs.TryReserve(ref favorite, 64, false, out LogReservation reservation, last);
            Assert.Equal(LogSpace.Taken, taken);
            LogRecord.Write(reservation.Pointer, TestRecords.ShapeOf(i, 0));
            last = reservation.Publish();
        }

        LogSpace space = LogSpace.Contended;
        for (var spin = new SpinWait(); space == LogSpace.Contended; spin.SpinOnce())
            space = logs.TryReserve(ref favorite, 64, false, out _, last);
        Assert.Equal((LogSpace.Taken, 1), (space, favorite));
    }

    [Fact]
    public void Opened_logs_go_on_behind_what_was_found()
    {
        using var memory = new MemoryDevice();
        using (LogSet logs = Create(DeviceRegion.Create(Keeping(memory), 2 * Size), 2))
        {
            TestRecords.Append(logs, 1, 100);
            TestRecords.Append(logs, 2, 100);
            logs.Wait(logs.TakeTicket());
        }

        var found = new ReadLogs(2);
        LogMark[] heads;
        using (LogSet logs = LogSet.Open(
            new PersistenceDomain(DeviceRegion.Open(Keeping(memory), 2 * Size)), TestRecords.Identity, new LogMark[2],
            found))
        {
            heads = logs.Mark();
            TestRecords.Append(logs, 3, 100);
            logs.Wait(logs.TakeTicket());
        }

        Assert.Equal([1, 2], found.Numbers[0]);
        Assert.Equal([1, 2, 3], TestRecords.Read(ImageOf(memory, 2 * Size), new LogMark[2]).Numbers[0]);
        Assert.Equal([3], TestRecords.Read(ImageOf(memory, 2 * Size), heads).Numbers[0]);
    }

    [Fact]
    public void A_whole_record_that_an_earlier_life_has_left_is_not_taken()
    {
        const int Bytes = 48 + 8 + 40;
        var first = new EmulatedRegion(Size, TimeSpan.Zero);
        using LogSet one = Create(first, 1);
        foreach (int number in Enumerable.Range(1, 3)) TestRecords.Append(one, number, 40);
        byte[] image = first.Image();
        image.AsSpan(Bytes, Bytes).Clear(); // a power cut has left the third record, not the second
        var second = new EmulatedRegion(image, TimeSpan.Zero);
        using (LogSet two = LogSet.Open(
            new PersistenceDomain(second), TestRecords.Identity, new LogMark[1], new ReadLogs(1)))
        {
            TestRecords.Append(two, 4, 40);
            image = second.Image();
        }

        Assert.Equal([1, 4], TestRecords.Read(image, new LogMark[1]).Numbers[0]);
    }

    [Fact]
    public void Laps_between_two_fences_are_durable_as_far_as_the_heads_need()
    {
        using var memory = new MemoryDevice();
        using LogSet logs = Create(DeviceRegion.Create(Keeping(memory), 2 * Size), 2);
        LogMark[] heads = [];
        foreach (int round in Enumerable.Range(0, 4))
        {
            heads = logs.Mark();
            logs.RaiseHeads(heads);
            int favorite = 1;
            while (TestRecords.TryAppend(logs, ref favorite, round, 64) == LogSpace.Taken) { }
        }

        logs.Wait(logs.TakeTicket());
        ReadLogs found = TestRecords.Read(ImageOf(memory, 2 * Size), heads);
        Assert.Equal(logs.Mark(), found.Ends);
        Assert.All(found.Numbers, numbers => Assert.True(numbers.Count > 20 && numbers.TrueForAll(n => n == 3)));
    }

    [Fact]
    public void A_flipped_bit_of_what_is_acknowledged_is_reported_unless_the_last_sync_covered_it()
    {
        const int Records = 8, Bytes = 48 + 8 + 40;
        using var memory = new MemoryDevice();
        using LogSet logs = Create(DeviceRegion.Create(Keeping(memory), Size), 1);
        foreach (int number in Enumerable.Range(1, Records))
        {
            TestRecords.Append(logs, number, 40);
            logs.Wait(logs.TakeTicket());
        }

        byte[] image = ImageOf(memory, Size);
        Assert.Equal(Records, TestRecords.Read(image, new LogMark[1]).Numbers[0].Count);
        for (int bit = 0; bit < 8 * Bytes * (Records - 1); bit++)
        {
            image[bit / 8] ^= (byte)(1 << (bit % 8));
            var thrown = Assert.Throws<DamagedDataException>(() => TestRecords.Read(image, new LogMark[1]));
            Assert.Equal(bit / (8 * Bytes) * Bytes, thrown.Offset);
            image[bit / 8] ^= (byte)(1 << (bit % 8));
        }
    }

    [Fact]
    public async Task Each_record_of_many_threads_is_found_once_and_in_order()
    {
        const int Threads = 4, Logs = 3;
        int each = TestBudget.Times(4000);
        var region = new EmulatedRegion(Logs * 64 * 1024, TimeSpan.Zero);
        using LogSet logs = LogSet.Create(new PersistenceDomain(region), Logs, TestRecords.Identity);
        List<long>[] published = [.. Enumerable.Range(0, Logs).Select(static _ => new List<long>())];
        LogMark[] heads = logs.Mark();
        int writing = Threads;
        Task[] tasks = [.. Enumerable.Range(0, Threads).Select(thread => Task.Run(() => Write(thread)))];
        Task raiser = Task.Run(() =>
        {
            while (Volatile.Read(ref writing) != 0)
            {
                if (logs.Used <= logs.Capacity / 2) continue;
                heads = logs.Mark();
                logs.RaiseHeads(heads);
            }
        });
        await Task.WhenAll([.. tasks, raiser]);

        Assert.Equal(Threads * each, published.SelectMany(static numbers => numbers).Distinct().Count());
        Assert.Contains(heads, static head => head.Position > 64 * 1024);
        ReadLogs found = TestRecords.Read(region.Image(), heads);
        Assert.Equal(logs.Mark(), found.Ends);
        for (int log = 0; log < Logs; log++)
            Assert.Equal(published[log].TakeLast(found.Numbers[log].Count), found.Numbers[log]);

        void Write(int thread)
        {
            int favorite = thread;
            for (int i = 0; i < each; i++)
            {
                long number = ((long)thread * each) + i;
                var spin = new SpinWait();
                // The owner alone touches its log's list.
                while (TestRecords.TryAppend(
                    logs, ref favorite, number, i % 300, whileOwned: log => published[log].Add(number))
                    != LogSpace.Taken)
                    spin.SpinOnce();
            }

            Interlocked.Decrement(ref writing);
        }
    }

    private static bool Fits(LogSet logs, long number, int valueBytes)
    {
        int favorite = 0;
        return TestRecords.TryAppend(logs, ref favorite, number, valueBytes) == LogSpace.Taken;
    }

    private static LogSet Create(PersistentRegion region, int logs) =>
        LogSet.Create(new PersistenceDomain(region), logs, TestRecords.Identity);

    // What the test owns, and the region does not.
    private static FaultDevice Keeping(MemoryDevice memory) => new(memory, ownsInner: false);

    private static unsafe byte[] ImageOf(MemoryDevice memory, int bytes)
    {
        using DeviceRegion region = DeviceRegion.Open(Keeping(memory), bytes);
        return new ReadOnlySpan<byte>(region.Pointer, bytes).ToArray();
    }
}
