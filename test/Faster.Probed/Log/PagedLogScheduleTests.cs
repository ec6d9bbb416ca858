using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Log;

/// <summary>
/// Page turns, flushing and eviction under controlled schedules, with four frames of 4 KiB: every byte that was written
/// stays where its address says, in memory or on the device, and no frame is reopened while a session is in it.
/// </summary>
public sealed unsafe class PagedLogScheduleTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(300), PreemptionBound = 3 };

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Nothing_written_is_lost_while_pages_turn(bool atOnce) =>
        Explorer.Run(Options, () => WriteAndRead(atOnce)).AssertClean();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Nothing_written_is_lost_while_the_tail_is_padded_and_frozen(bool atOnce) =>
        Explorer.Run(Options, () => WriteAndRead(atOnce, shifts: 4)).AssertClean();

    [Theory]
    [InlineData(SeededBug.PadWithoutCompare)]
    [InlineData(SeededBug.SafeReadOnlyWithoutEpoch)]
    internal void A_bug_seeded_into_freezing_is_found(SeededBug bug) => Explorer
        .Run(Options with { Bugs = [bug], Schedules = 2000 }, () => WriteAndRead(true, shifts: 4))
        .AssertFound("Filter matched in collection", "is not what was written");

    [Theory]
    [InlineData(SeededBug.TurnIgnoresClosed)]
    [InlineData(SeededBug.EvictWithoutEpoch)]
    [InlineData(SeededBug.SafeReadOnlyWithoutEpoch)]
    [InlineData(SeededBug.TurnWithoutCompare)]
    internal void A_seeded_bug_is_found(SeededBug bug) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 2000 }, () => WriteAndRead(true))
            .AssertFound("evicted", "is not zero", "is not what was written");

    /// <summary>
    /// Two writers fill pages; a reader looks at what they wrote, flushes what waits, and shifts ReadOnly now and then.
    /// </summary>
    private static Scenario WriteAndRead(bool atOnce, int shifts = 0)
    {
        var world = new World(sessions: 3, atOnce);
        return new Scenario(
            [
                () => world.Write(0, 6),
                () => world.Write(1, 6),
                () =>
                {
                    for (int i = 0; i < 12; i++)
                    {
                        world.Read(2);
                        if (i < shifts) world.ShiftReadOnly();
                        world.Sink.TryFinishOne();
                    }

                    while (world.Unfinished != 0)
                    {
                        if (!world.Sink.TryFinishOne()) Probe.Point(ProbePoint.Wait);
                    }
                },
            ],
            world.Check);
    }

    private sealed class World : IDisposable
    {
        private const int Size = 2016; // two to a page
        private readonly EpochTable _epochs = new();
        private readonly HybridLog _log;
        private readonly nint[] _slots;
        private readonly List<long> _written = [];
        private readonly List<long> _immutable = [];

        public World(int sessions, bool atOnce)
        {
            Sink = new FakePageSink(atOnce);
            var shape = new LogShape(new RecordSchema(8, 8, 2000, "long", "page"), default, 12, 4, 0.5);
            _log = new HybridLog(_epochs, Sink, shape);
            Sink.Attach(_log);
            _slots = new nint[sessions];
            for (int i = 0; i < sessions; i++) _slots[i] = (nint)_epochs.Acquire($"session {i}");
            Unfinished = 2;
        }

        public FakePageSink Sink { get; }

        public int Unfinished { get; private set; }

        public void Write(int session, int count)
        {
            var slot = (EpochSlot*)_slots[session];
            while (count > 0)
            {
                _epochs.Enter(slot);
                bool wrote = _log.TryAllocate(null, Size, out long address);
                if (wrote)
                {
                    long* record = (long*)_log.Pointer(address);
                    Require(*record == 0, $"The space at {address} is not zero.");
                    *record = address;
                    Probe.Point(ProbePoint.RecordUpdate);
                    record[(Size / 8) - 1] = address;
                    Require(*record == address, $"The record at {address} was overwritten.");
                    _written.Add(address);
                    count--;
                }

                _epochs.Leave(slot);
                if (wrote) continue;
                _epochs.Drain();
                for (int turn = 0; turn < 3; turn++) Probe.Point(ProbePoint.Wait); // lets the reader in too
            }

            Unfinished--;
        }

        public void Read(int session)
        {
            var slot = (EpochSlot*)_slots[session];
            _epochs.Enter(slot);
            Probe.Point(ProbePoint.RegionMarker);
            long address = _written.Find(written => written >= _log.HeadAddress);
            Probe.Point(ProbePoint.RecordUpdate);
            if (address != 0) Require(Whole(new ReadOnlySpan<byte>(_log.Pointer(address), Size), address), "evicted");
            _epochs.Leave(slot);
        }

        public void ShiftReadOnly()
        {
            long frozen = _log.ShiftReadOnlyToTail();
            if (!_immutable.Contains(frozen)) _immutable.Add(frozen);
        }

        public void Check()
        {
            while (Sink.TryFinishOne()) { }
            Assert.Equal(0, _epochs.PendingActions);
            Assert.Equal(12, _written.Distinct().Count());
            Assert.True(_log.BeginAddress <= _log.HeadAddress && _log.HeadAddress <= _log.SafeReadOnlyAddress);
            Assert.True(_log.SafeReadOnlyAddress <= _log.ReadOnlyAddress && _log.ReadOnlyAddress <= _log.TailAddress);
            long inMemory = _log.TailAddress - (_log.HeadAddress & ~4095L);
            Assert.True(inMemory <= 4 * 4096, "More than four pages are in memory.");
            Assert.All(_immutable, at => Assert.True(at <= _log.FlushedUntilAddress));
            foreach (long address in _written)
            {
                bool lost = address >= _log.HeadAddress
                    && !Whole(new ReadOnlySpan<byte>(_log.Pointer(address), Size), address);
                lost |= address < _log.FlushedUntilAddress && !Whole(Sink.Read(address), address);
                Assert.False(lost, $"The record at {address} is not what was written.");
                Assert.DoesNotContain(_immutable, at => at > address && at < address + Size);
            }

            Dispose();
        }

        public void Dispose()
        {
            _log.Dispose();
        }

        private static bool Whole(ReadOnlySpan<byte> record, long address)
        {
            long first = BitConverter.ToInt64(record), last = BitConverter.ToInt64(record[(Size - 8)..]);
            return first == address && last == address;
        }

        private static void Require(bool holds, string otherwise)
        {
            if (!holds) throw new InvalidOperationException(otherwise);
        }
    }
}
