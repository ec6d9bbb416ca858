using Faster.Contracts;
using Faster.Memory;
using Faster.Persistence;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Persistence;

/// <summary>Flushes and fences under controlled schedules, sound and with seeded bugs.</summary>
public sealed class RangeRegionScheduleTests
{
    private const string Lost = "was fenced and is not durable";

    private static readonly ExplorationOptions Sampled =
        new() { Schedules = TestBudget.Times(1000), PreemptionBound = 3 };

    [Fact]
    public void Fenced_ranges_are_durable() => Explorer.Run(Sampled, () => Fencing(false)).AssertClean();

    [Fact]
    public void Fenced_ranges_are_durable_in_any_schedule_of_two_preemptions() =>
        Explorer.AssertAllClean(() => Fencing(false));

    [Fact]
    public void No_fence_succeeds_beside_or_after_a_failed_one() =>
        Explorer.Run(Sampled, () => Fencing(true)).AssertClean();

    [Theory]
    [InlineData(SeededBug.FenceForgetsRange)]
    [InlineData(SeededBug.EmptyFenceOvertakes)]
    internal void A_seeded_bug_is_found(SeededBug bug) =>
        Explorer.Run(Sampled with { Bugs = [bug] }, () => Fencing(false)).AssertFound(Lost);

    /// <summary>Two threads store to two lines each, flush them and fence.</summary>
    private static Scenario Fencing(bool fails)
    {
        const int Apart = 100;
        var region = new ScheduledRegion(fails);
        void Store(int thread)
        {
            for (int i = 0; i < 2; i++)
            {
                int at = ((thread * 2) + i) * Apart;
                region.Store(at);
                region.Flush(at, 1);
            }

            try
            {
                region.Fence();
            }
            catch (StorageException)
            {
                if (!fails) throw;
                return;
            }

            for (int i = 0; i < 2; i++)
            {
                int at = ((thread * 2) + i) * Apart;
                if (!region.IsDurable(at)) throw new InvalidOperationException($"Byte {at} {Lost}.");
            }
        }

        return new Scenario([() => Store(0), () => Store(1)], region.Dispose);
    }

    /// <summary>A region whose medium is an array, which a fence copies to between two points.</summary>
    private sealed unsafe class ScheduledRegion(bool fails) : RangeRegion
    {
        private readonly NativeBlock _memory = new(4096);
        private readonly bool[] _durable = new bool[4096];

        public override byte* Pointer => _memory.Pointer;

        public override long Length => _durable.Length;

        public override string Name => "scheduled";

        protected override int Unit => 8;

        public bool IsDurable(int at) => _durable[at];

        public void Store(int at) => Pointer[at] = 1;

        public override void Dispose() => _memory.Dispose();

        protected override void Persist(ReadOnlySpan<FlushedRange> ranges)
        {
            foreach (FlushedRange range in ranges)
            {
                Probe.Point(ProbePoint.Fence);
                if (fails) throw new IOException("The medium fails.");
                for (long at = range.Begin; at < range.End; at++) _durable[at] = Pointer[at] == 1;
            }
        }
    }
}
