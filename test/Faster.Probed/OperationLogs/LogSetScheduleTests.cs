using Faster.Memory;
using Faster.OperationLogs;
using Faster.Persistence;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.OperationLogs;

/// <summary>Appends, fences, marks and heads of operation logs under controlled schedules.</summary>
public sealed class LogSetScheduleTests
{
    private const string Lost = "was acknowledged and is not found";
    private const int RecordBytes = 64, Large = 1024, Small = 5 * RecordBytes;

    private static readonly ExplorationOptions Sampled =
        new() { Schedules = TestBudget.Times(1000), PreemptionBound = 3 };

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Acknowledged_records_are_found(int logs)
    {
        Explorer.Run(Sampled, () => Appending(logs, each: 2)).AssertClean();
        Explorer.AssertAllClean(() => Appending(logs, each: 1));
    }

    [Fact]
    public void Space_is_used_again_only_when_heads_have_risen() =>
        Explorer.Run(Sampled, Reusing).AssertClean();

    [Theory]
    [InlineData(SeededBug.PublishBeforeSeal, 1)]
    [InlineData(SeededBug.FenceForgetsLog, 2)]
    internal void A_record_that_a_fence_misses_is_found(SeededBug bug, int logs) =>
        Explorer.Run(Sampled with { Bugs = [bug] }, () => Appending(logs, each: 2)).AssertFound(Lost);

    [Fact]
    public void A_log_with_two_owners_is_found() =>
        Explorer.Run(Sampled with { Bugs = [SeededBug.OwnerNotAlone] }, () => Appending(1, each: 2))
            .AssertFound(Lost, "is torn");

    [Fact]
    public void Space_that_is_used_before_its_head_rises_is_found() =>
        Explorer.Run(Sampled with { Bugs = [SeededBug.SpaceBeforeHead] }, Reusing)
            .AssertFound(Lost, "is damaged");

    /// <summary>Two threads append and fence.</summary>
    private static Scenario Appending(int logs, int each)
    {
        var log = new ScheduledLogs(logs, Large);
        return new Scenario(
            [() => log.Append(0, each), () => log.Append(1, each)],
            () =>
            {
                log.AssertFound();
                Assert.Equal(2 * each, log.Found());
                log.Dispose();
            });
    }

    /// <summary>Two threads append to a log that is nearly full; a third takes its mark and raises its head.</summary>
    private static Scenario Reusing()
    {
        var log = new ScheduledLogs(1, Small);
        log.Append(2, 3);
        return new Scenario(
            [() => log.Append(0, 2), () => log.Append(1, 2), log.RaiseHeads],
            () =>
            {
                log.AssertFound();
                log.Dispose();
            });
    }

    /// <summary>Logs over a medium that is an array, which a fence copies to between points.</summary>
    private sealed class ScheduledLogs : IDisposable
    {
        private readonly ScheduledRegion _region;
        private readonly LogSet _logs;
        private readonly List<(long Number, int Log)> _acknowledged = [];
        private readonly List<long> _published = [];
        private readonly HashSet<long> _freed = [];
        private LogMark[] _heads; // as a durable commit names them

        public ScheduledLogs(int logs, int size)
        {
            _region = new ScheduledRegion(logs * size);
            _logs = LogSet.Create(new PersistenceDomain(_region), logs, TestRecords.Identity);
            _heads = new LogMark[logs];
        }

        public void Append(int thread, int records)
        {
            int favorite = thread, log = 0;
            for (int i = 0; i < records; i++)
            {
                long number = (thread * 10) + i;
                while (TestRecords.TryAppend(
                    _logs, ref favorite, number, sizeof(long), mayUseReserve: true, Note) != LogSpace.Taken)
                    Probe.Point(ProbePoint.Wait);
                _logs.Wait(_logs.TakeTicket());
                _acknowledged.Add((number, log));
                AssertFound();

                void Note(int of) // by the owner, so a mark is taken before it or after the record is published
                {
                    log = of;
                    _published.Add(number);
                }
            }
        }

        public void RaiseHeads()
        {
            LogMark[] marks = _logs.Mark();
            _freed.UnionWith(_published);
            _heads = marks;
            _logs.RaiseHeads(marks);
        }

        public int Found() => TestRecords.Read(_region.Durable, _heads).Numbers.Sum(static numbers => numbers.Count);

        public void AssertFound()
        {
            (long Number, int Log)[] required = [.. _acknowledged.Where(record => !_freed.Contains(record.Number))];
            ReadLogs found = TestRecords.Read(_region.Durable, _heads); // others go on meanwhile
            foreach ((long number, int log) in required)
            {
                if (!found.Numbers[log].Contains(number))
                    throw new InvalidOperationException($"Record {number} of log {log} {Lost}.");
            }
        }

        public void Dispose() => _logs.Dispose();
    }

    private sealed unsafe class ScheduledRegion(int length) : RangeRegion
    {
        private readonly NativeBlock _memory = new(length);

        public byte[] Durable { get; } = new byte[length];

        public override byte* Pointer => _memory.Pointer;

        public override long Length => length;

        public override string Name => "scheduled";

        public override bool FencesOnCaller => true;

        protected override int Unit => 8;

        public override void Dispose() => _memory.Dispose();

        protected override void Persist(ReadOnlySpan<FlushedRange> ranges)
        {
            foreach (FlushedRange range in ranges)
            {
                Probe.Point(ProbePoint.Fence);
                int begin = (int)range.Begin, bytes = (int)(range.End - range.Begin);
                new ReadOnlySpan<byte>(Pointer + begin, bytes).CopyTo(Durable.AsSpan(begin));
            }
        }
    }
}
