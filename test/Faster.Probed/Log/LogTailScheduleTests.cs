using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Log;

/// <summary>The tail under controlled schedules: what is taken never overlaps and never crosses a page.</summary>
public sealed class LogTailScheduleTests
{
    private const int PageBits = 12;

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(600), PreemptionBound = 3 };

    [Fact]
    public void Takers_and_turners_never_share_a_byte() => Explorer.Run(Options, TakeAndTurn).AssertClean();

    [Fact]
    public void Takers_and_turners_never_share_a_byte_in_any_schedule_of_two_preemptions() =>
        Explorer.AssertAllClean(TakeAndTurn);

    [Fact]
    public void A_turn_without_compare_is_found() =>
        Explorer.Run(Options with { Bugs = [SeededBug.TurnWithoutCompare] }, TakeAndTurn)
            .AssertFound("Takers overlap");

    [Fact]
    public void No_record_lies_across_a_pad_in_any_schedule_of_two_preemptions() => Explorer.AssertAllClean(TakeAndPad);

    [Fact]
    public void A_pad_without_compare_is_found() =>
        Explorer.Run(Options with { Bugs = [SeededBug.PadWithoutCompare] }, TakeAndPad)
            .AssertFound("Takers overlap");

    private static Scenario TakeAndPad()
    {
        const int Size = 1200;
        var geometry = new BlockGeometry(PageBits);
        var tail = new SharedTail { Value = new LogTail(PageBits, 64) };
        var taken = new List<long>();
        var pads = new List<long>();
        void Take()
        {
            for (int i = 0; i < 3; i++)
            {
                long address, page;
                while (!tail.Value.TryTake(Size, out address, out page)) tail.Value.TryTurn(page);
                taken.Add(address);
            }
        }

        void Pad()
        {
            for (int i = 0; i < 3; i++)
            {
                long seen = tail.Value.Address, padded = tail.Value.Pad(geometry, BlockFormat.BlockSize);
                if (padded < seen) throw new InvalidOperationException("The tail went back.");
                pads.Add(padded);
            }
        }

        return new Scenario(
            [Take, Take, Pad],
            () =>
            {
                long[] sorted = [.. taken.Order()];
                for (int i = 1; i < sorted.Length; i++)
                    Assert.True(sorted[i] - sorted[i - 1] >= Size, "Takers overlap.");
                foreach (long pad in pads)
                {
                    Assert.Equal(pad, geometry.AlignToSector(pad, BlockFormat.BlockSize));
                    Assert.True(pad <= tail.Value.Address);
                    Assert.All(taken, at => Assert.True(at + Size <= pad || at >= pad, "A record lies across a pad."));
                }
            });
    }

    private static Scenario TakeAndTurn()
    {
        const int Size = 1500;
        var tail = new SharedTail { Value = new LogTail(PageBits, 64) };
        var taken = new List<long>();
        void Take()
        {
            for (int i = 0; i < 3; i++)
            {
                long address, page;
                while (!tail.Value.TryTake(Size, out address, out page)) tail.Value.TryTurn(page);
                taken.Add(address);
            }
        }

        return new Scenario(
            [Take, Take, Take],
            () =>
            {
                long[] sorted = [.. taken.Order()];
                Assert.Equal(9, sorted.Length);
                for (int i = 1; i < sorted.Length; i++)
                    Assert.True(sorted[i] - sorted[i - 1] >= Size, "Takers overlap.");
                Assert.All(sorted, address => Assert.Equal(address >> PageBits, (address + Size - 1) >> PageBits));
            });
    }

    private sealed class SharedTail
    {
        public LogTail Value;
    }
}
