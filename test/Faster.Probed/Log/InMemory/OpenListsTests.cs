using Faster.Contracts;
using Faster.Epochs;
using Faster.Log.InMemory;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Log.InMemory;

/// <summary>A session that lacks memory takes what others keep, under controlled schedules.</summary>
public sealed unsafe class OpenListsTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(400), PreemptionBound = 3 };

    [Fact]
    public void A_block_claimed_beside_its_session_has_one_owner() => Explorer.Run(Options, Claims).AssertClean();

    [Theory]
    [InlineData(SeededBug.EntersClosedLists)]
    [InlineData(SeededBug.ClaimsEnteredLists)]
    internal void Lists_that_two_threads_are_in_are_found(SeededBug bug) =>
        Explorer.Run(Options with { Bugs = [bug], Schedules = 5000 }, Claims)
            .AssertFound("given back", "is in use", "joined", "listed");

    [Fact]
    public void Sessions_that_idle_and_that_have_ended_leave_nothing_behind()
    {
        var open = new OpenLists();
        FreeLists[] all = [new(), new(), new()];
        foreach (FreeLists lists in all)
        {
            Assert.False(lists.TryEnter());
            Assert.True(open.TryAdd(lists));
            Assert.True(lists.TryEnter());
            lists.Leave();
        }

        List<FreeLists> emptied = [];
        Assert.True(open.TryClaim(emptied.Add, out bool hasKept));
        Assert.Equal((false, 0), (hasKept, emptied.Count));
        open.NoteKept();
        open.Remove(all[0]);
        Assert.True(all[1].TryEnter());
        Assert.False(open.TryClaim(emptied.Add, out hasKept)); // one is in its lists
        Assert.True(hasKept);
        Assert.Equal([all[2]], emptied);
        all[1].Leave();
        Assert.True(open.TryClaim(emptied.Add, out hasKept));
        Assert.True(hasKept);
        Assert.Equal([all[2], all[2], all[1]], emptied);
        Assert.False(all[0].TryEnter());
    }

    private static Scenario Claims()
    {
        var epochs = new EpochTable();
        var arena = new RecordArena(
            epochs, 8 << 10, 8 << 10, batch: 4, hasReserve: false,
            static limit => new LimitExceededException($"{limit}"));
        FreeLists[] lists = [new(), new(), new()];
        var used = new List<(long Address, int Size)>();

        // Pieces and free blocks are in the first two sessions.
        foreach (FreeLists one in lists[..2])
        {
            long[] blocks = [Take(one, 48), Take(one, 48), Take(one, 48)];
            arena.Free(one, blocks[1], 48, everLinked: false);
            Use(blocks[0], 48);
            Use(blocks[2], 48);
        }

        return new Scenario([() => Work(lists[0]), () => Work(lists[1]), Fill], Check);

        void Work(FreeLists own)
        {
            for (int i = 0; i < 2; i++)
            {
                if (!arena.TryAllocate(own, 48, out long address)) return;
                Use(address, 48);
                if (!arena.TryAllocate(own, 56, out address)) return;
                arena.Free(own, address, 56, everLinked: false);
            }
        }

        void Fill()
        {
            try
            {
                for (;;)
                {
                    if (arena.TryAllocate(lists[2], 1024, out long address)) Use(address, 1024);
                    else arena.WaitForSpace();
                }
            }
            catch (LimitExceededException)
            {
            }
        }

        long Take(FreeLists own, int size) => arena.TryAllocate(own, size, out long address) ? address : 0;

        void Use(long address, int size)
        {
            foreach ((long other, int bytes) in used)
                Assert.True(address >= other + bytes || address + size <= other, $"{address:x} is in use.");
            used.Add((address, size));
        }

        void Check()
        {
            long free = 0, end = used.Max(one => one.Address + one.Size), start = end;
            arena.Walk((address, size) =>
            {
                free += size;
                start = Math.Min(start, address);
            });
            start = Math.Min(start, used.Min(one => one.Address));
            Assert.True(free + used.Sum(one => one.Size) == end - start, "All that is not in use is free: joined.");
            arena.Dispose();
        }
    }
}
